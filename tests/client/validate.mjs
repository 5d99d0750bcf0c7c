// validate.mjs FILE - whether it is OpenAPI 3.1 by the published schema.
import { Validator } from '@seriousme/openapi-schema-validator';

const result = await new Validator().validate(process.argv[2]);
if (!result.valid) {
  console.log(JSON.stringify(result.errors, null, 1).slice(0, 4000));
  process.exitCode = 1;
}

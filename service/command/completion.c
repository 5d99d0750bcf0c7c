/* Both shells share a function in POSIX sh that prints candidates; they differ in how they pass the
 * word to complete. GPUs and models are read from the catalogue, and not completed without one. */
#include "command/completion.h"

#include "api/resource/decode.h"
#include "api/routes/routes.h"
#include "base/buf.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

enum { SCRIPT_MAX = 1024 * 1024 };

static const char head[] =
    "# Completion of gpuplan, written by `gpuplan completion`.\n"
    "\n"
    "# The names in a list of the catalogue.\n"
    "_gpuplan_names() {\n"
    "    gpuplan ask --format tsv \"$1\" \"fields=$2\" 2>/dev/null | sed \"1d; s/^/$3/\"\n"
    "}\n"
    "\n"
    "# Inputs of a question, NAME=, and their values where these are words, NAME=VALUE.\n"
    "_gpuplan_inputs() {\n"
    "    case $1 in\n";

static const char middle[] =
    "    esac\n"
    "}\n"
    "\n"
    "# Candidates for the word $1, given the words before it.\n"
    "_gpuplan_words() {\n"
    "    _gpuplan_word=$1 _gpuplan_question='' _gpuplan_before=''\n"
    "    shift 2\n"
    "    case ${1-} in\n"
    "    '') printf '%s\\n' ask completion fetch import --check --dump-config --help --openapi "
    "--ready --version; return ;;\n"
    "    completion) printf '%s\\n' bash zsh; return ;;\n"
    "    ask) shift ;;\n"
    "    *) return ;;\n"
    "    esac\n"
    "    for _gpuplan_each; do\n"
    "        case $_gpuplan_before,$_gpuplan_each in\n"
    "        --url,* | --format,* | *,-*) ;;\n"
    "        *) _gpuplan_question=${_gpuplan_question:-$_gpuplan_each} ;;\n"
    "        esac\n"
    "        _gpuplan_before=$_gpuplan_each\n"
    "    done\n"
    "    case $_gpuplan_before,$_gpuplan_question,$_gpuplan_word in\n"
    "    --url,*) ;;\n"
    "    --format,*) printf '%s\\n' table json csv tsv xml txt svg ;;\n"
    "    *,,-*) printf '%s\\n' --format --help --url ;;\n"
    "    *,,*) _gpuplan_questions ;;\n"
    "    *,gpu=*) _gpuplan_names gpus gpu gpu= ;;\n"
    "    *,model=*) _gpuplan_names models model model= ;;\n"
    "    *=*) _gpuplan_inputs \"$_gpuplan_question\" | grep '=.' ;;\n"
    "    *) _gpuplan_inputs \"$_gpuplan_question\" | grep '=$' ;;\n"
    "    esac\n"
    "}\n"
    "\n";

/* Split words at blanks only, since bash also splits at = and :. */
static const char bash[] = "_gpuplan() {\n"
                           "    local line=${COMP_LINE:0:COMP_POINT} current=''\n"
                           "    local -a typed\n"
                           "    read -ra typed <<<\"$line\"\n"
                           "    if [[ $line != *[[:blank:]] ]]; then\n"
                           "        current=${typed[-1]}\n"
                           "        unset 'typed[-1]'\n"
                           "    fi\n"
                           "    mapfile -t COMPREPLY < <(compgen -W \"$(_gpuplan_words "
                           "\"$current\" \"${typed[@]}\")\" -- \"$current\")\n"
                           "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
                           "    if [[ $current == *=* && $COMP_WORDBREAKS == *=* ]]; then\n"
                           "        COMPREPLY=(\"${COMPREPLY[@]#*=}\")\n"
                           "    fi\n"
                           "}\n"
                           "complete -F _gpuplan gpuplan\n";

static const char zsh[] = "_gpuplan() {\n"
                          "    local -a found before\n"
                          "    before=(\"${(@)words[1,CURRENT-1]}\")\n"
                          "    found=(${(f)\"$(_gpuplan_words \"$PREFIX\" \"$before[@]\")\"})\n"
                          "    compadd -S '' -- ${(M)found:#*=}\n"
                          "    compadd -- ${found:#*=}\n"
                          "}\n"
                          "if [[ $funcstack[1] == _gpuplan ]]; then\n"
                          "    _gpuplan\n"
                          "else\n"
                          "    compdef _gpuplan gpuplan\n"
                          "fi\n";

static void put_inputs(struct buf *out, const struct fields *fields)
{
    for (size_t i = 0; i < fields->n; i++) {
        const struct field *field = &fields->at[i];
        buf_print(out, " %s=", field->name);
        for (const char *word = field->choices; *word; word += strspn(word, " ")) {
            size_t n = strcspn(word, " ");
            buf_print(out, " %s=%.*s", field->name, (int)n, word);
            word += n;
        }
        if (field->type == FIELD_FLAG)
            buf_print(out, " %s=0 %s=1", field->name, field->name);
    }
}

/* Print the path as typed after `ask`; a segment in braces becomes the pattern `any`. */
static void put_question(struct buf *out, const char *path, const char *any)
{
    for (path += strlen("/v1/"); *path; path++) {
        if (*path != '{') {
            buf_char(out, *path);
            continue;
        }
        buf_text(out, any);
        path = strchr(path, '}');
    }
}

/* Routes of one resource share a case. Written backwards, so that quotes/{id}/history comes before
 * quotes/{id}, whose pattern is wider. */
static void put_cases(struct buf *out)
{
    for (size_t i = n_routes; --i > 0;) {
        const struct resource *resource = routes[i].resource;
        bool same = i + 1 < n_routes && routes[i + 1].resource == resource;
        buf_text(out, same ? " | " : "    ");
        put_question(out, routes[i].path, "*");
        if (routes[i - 1].resource == resource)
            continue;
        buf_text(out, ") printf '%s\\n'");
        put_inputs(out, resource->in);
        put_inputs(out, &common_fields);
        if (resource_is_list(resource))
            put_inputs(out, &list_fields);
        buf_text(out, " ;;\n");
    }
}

static void put_questions(struct buf *out)
{
    buf_text(out, "_gpuplan_questions() {\n    printf '%s\\n'");
    for (size_t i = 1; i < n_routes; i++) {
        buf_char(out, ' ');
        put_question(out, routes[i].path, "");
    }
    buf_text(out, "\n}\n\n");
}

static void put_script(struct buf *out, bool for_zsh)
{
    buf_text(out, for_zsh ? "#compdef gpuplan\n" : "");
    buf_text(out, head);
    put_cases(out);
    buf_text(out, middle);
    put_questions(out);
    buf_text(out, for_zsh ? zsh : bash);
}

int completion_run(int argc, char **argv, const struct conf *conf)
{
    bool for_zsh = argc == 2 && strcmp(argv[1], "zsh") == 0;
    struct buf script;

    (void)conf;
    if (!for_zsh && !(argc == 2 && strcmp(argv[1], "bash") == 0)) {
        fputs("usage: gpuplan completion bash|zsh\n", stderr);
        return EX_USAGE;
    }
    buf_init(&script, SCRIPT_MAX);
    put_script(&script, for_zsh);
    fputs(buf_data(&script), stdout);
    buf_free(&script);
    return EX_OK;
}

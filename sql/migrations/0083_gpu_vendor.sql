-- 0083_gpu_vendor.sql - providers that rent out GPUs of their own make, which often nobody else does.

alter table provider
    add column gpu_vendor text,
    add constraint provider_gpu_vendor_given check (gpu_vendor <> '');
comment on column provider.gpu_vendor is
    'Vendor, as in gpu.vendor, of the GPUs that it makes itself: its own price for them confirms a rent; null: none';

alter table row_history disable trigger user;
update row_history set before = before || '{"gpu_vendor": null}' where table_name = 'provider';
alter table row_history enable trigger user;
update seed_row set content = content || '{"gpu_vendor": null}' where table_name = 'provider';

-- 0037_machine_sizes.sql - providers that list the price of one GPU and rent several in one machine.

alter table instance
    add column machine_gpu_count_max integer,
    add constraint instance_machine_positive check (machine_gpu_count_max > 1),
    drop constraint instance_says_something,
    add constraint instance_says_something check (
        network_gbit_per_second is not null or cluster_gpu_count_max is not null
        or machine_gpu_count_max is not null);
comment on column instance.machine_gpu_count_max is
    'The most GPUs in one machine at the price per GPU listed for one, rented as 2, 4 and so on; null: not known';

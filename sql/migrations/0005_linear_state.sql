-- 0005_linear_state.sql - what layers without a KV cache keep of a sequence.

alter table model add column linear_state_elements integer not null default 0
    constraint model_state_of_linear_layers
        check (linear_state_elements >= 0 and (n_linear_layers > 0 or linear_state_elements = 0));
comment on column model.linear_state_elements is
    'Elements kept of a sequence in each layer with linear attention: recurrent state and inputs of its convolution; 0 unknown or none';

-- What the files last said of these rows was of fewer columns: a row nobody edited is still one.
update seed_row set content = content || '{"linear_state_elements": 0}'
where table_name = 'model';

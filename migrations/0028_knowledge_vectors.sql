-- Vectors of the parts of published items, where the workspace has a provider with an embedding model.

-- How far they go: every part up to this number was given to this model. Numbers rise, so whatever is published later
-- lacks a vector.
alter table knowledge_indexes
  add column embedded_model text,
  add column embedded_chunk integer not null default 0;

-- A part that the model refused has none.
create table knowledge_vectors (
  workspace_id id not null,
  chunk integer not null,
  model text not null,
  -- 32-bit floats, the lowest byte first, of length 1.
  vector bytea not null,
  primary key (workspace_id, chunk),
  foreign key (workspace_id, chunk) references knowledge_chunks on delete cascade
);
-- It doesn't get smaller.
alter table knowledge_vectors alter column vector set storage external;

-- MCP servers that admins connect. A tool of theirs that is switched on has an action, which says what it may do.

create table mcp_servers (
  workspace_id id not null references workspaces,
  id id not null,
  name text not null,
  name_key text not null,
  url text not null,
  -- Sealed for the origin of the address.
  token bytea,
  -- Whether it speaks a revision before 2026-07-28; null: never reached.
  era text check (era in ('modern', 'legacy')),
  -- Tools that were left out when they were copied.
  skipped integer not null default 0,
  -- What went wrong at the last check.
  problem jsonb,
  checked_at moment,
  next_check_at moment not null,
  created_at moment not null,
  primary key (workspace_id, id),
  unique (workspace_id, name_key)
);
create index mcp_servers_due on mcp_servers (next_check_at);

-- Copied from the server, whose descriptions may change at any time.
create table mcp_tools (
  workspace_id id not null,
  server_id id not null,
  name text not null,
  title text,
  description text not null,
  -- The admin's, for the AI agent.
  own_description text,
  hash text not null,
  parameters jsonb not null,
  -- Parameters that can't be given.
  omitted jsonb not null,
  unusable text,
  -- changed: it was on, and isn't what was approved any more. gone: the server doesn't have it now.
  state text not null default 'off' check (state in ('off', 'on', 'changed', 'gone')),
  -- Since it was switched on for the first time: flows and the guidance refer to it.
  action_id id,
  primary key (workspace_id, server_id, name),
  unique (workspace_id, action_id),
  foreign key (workspace_id, server_id) references mcp_servers on delete cascade,
  foreign key (workspace_id, action_id) references actions,
  check (state = 'off' or action_id is not null)
);

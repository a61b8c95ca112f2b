-- What the AI agent and people answer from: articles and saved answers, and the index that ranks them.

create table knowledge_items (
  workspace_id id not null references workspaces,
  id id not null,
  kind text not null check (kind in ('article', 'answer')),
  -- Of the system that it is copied from.
  external_id text,
  title text not null,
  body text not null,
  -- Of an answer: how customers ask for it.
  phrasings text[] not null default '{}',
  language text not null,
  url text,
  state text not null check (state in ('draft', 'published')),
  -- Who may see it: of each list one must hold, unless the list is empty.
  channels text[] not null default '{}',
  countries text[] not null default '{}',
  tag_ids text[] not null default '{}',
  languages text[] not null default '{}',
  is_internal boolean not null default false,
  review_by date,
  updated_by text not null,
  created_at moment not null,
  updated_at moment not null,
  primary key (workspace_id, id)
);
create unique index knowledge_items_external on knowledge_items (workspace_id, kind, external_id) where external_id is not null;
create index knowledge_items_list on knowledge_items (workspace_id, kind, id desc);

-- One row per workspace, locked by every change to its knowledge, so that the counts below are exact.
create table knowledge_indexes (
  workspace_id id not null references workspaces,
  last_chunk integer not null default 0,
  primary key (workspace_id)
);

-- The parts of published items that are searched: sections of an article, an answer with its phrasings.
create table knowledge_chunks (
  workspace_id id not null,
  number integer not null,
  item_id id not null,
  position integer not null,
  headings text not null,
  text text not null,
  words integer not null,
  grams integer not null,
  -- Its rows in knowledge_terms.
  terms text[] not null,
  primary key (workspace_id, number),
  foreign key (workspace_id, item_id) references knowledge_items
);
create index knowledge_chunks_item on knowledge_chunks (workspace_id, item_id, position);

-- A term is a stemmed word (w:<language>:<stem>) or three characters (g:<characters>).
create table knowledge_terms (
  workspace_id id not null,
  term text collate "C" not null,
  chunk integer not null,
  count smallint not null,
  -- Of the chunk, in terms of this kind.
  length integer not null,
  primary key (workspace_id, term, chunk) include (count, length)
);

-- In how many chunks a term is.
create table knowledge_term_counts (
  workspace_id id not null,
  term text collate "C" not null,
  chunks integer not null,
  primary key (workspace_id, term)
);

create table knowledge_languages (
  workspace_id id not null,
  language text not null,
  chunks integer not null,
  words bigint not null,
  grams bigint not null,
  primary key (workspace_id, language)
);

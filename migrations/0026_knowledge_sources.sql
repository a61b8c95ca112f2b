-- Websites and files that knowledge is read from.

create table knowledge_sources (
  workspace_id id not null references workspaces,
  id id not null,
  kind text not null check (kind in ('page', 'sitemap', 'file')),
  -- A file's name; otherwise the address without its scheme.
  name text not null,
  url text,
  -- The upload that is still to be read.
  attachment_id id,
  -- Of pages that don't declare theirs.
  language text not null,
  -- For whom the articles are at first; see knowledge_items.
  channels text[] not null default '{}',
  countries text[] not null default '{}',
  tag_ids text[] not null default '{}',
  languages text[] not null default '{}',
  is_internal boolean not null default false,
  review_by date,
  -- What happens to text that changed: a person reviews it, or it is published at once.
  updates text not null check (updates in ('review', 'publish')),
  state text not null check (state in ('reading', 'ready', 'failed')),
  problem jsonb,
  -- How often it was read, this time included.
  reading integer not null default 1,
  -- Whether the pages of this reading are known.
  is_listed boolean not null default false,
  -- Whether pages are read even if the site says that they haven't changed.
  is_full boolean not null default true,
  -- Pages in a row that the site didn't return.
  failures integer not null default 0,
  read_at moment,
  -- While it is being read: when to look whether somebody still does.
  next_read_at moment not null,
  created_by text not null,
  created_at moment not null,
  updated_at moment not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, attachment_id) references attachments
);
create index knowledge_sources_due on knowledge_sources (next_read_at);
create index knowledge_sources_attachment on knowledge_sources (workspace_id, attachment_id)
  where attachment_id is not null;

-- The pages of a website and the parts of a file, each with its article.
create table knowledge_pages (
  workspace_id id not null,
  source_id id not null,
  id id not null,
  -- The address, or the number of the part.
  location text not null,
  position integer not null,
  item_id id,
  state text not null default 'new' check (state in ('new', 'read', 'empty', 'blocked', 'failed', 'gone')),
  problem jsonb,
  -- The last reading that it had its turn in.
  reading integer not null default 0,
  tries integer not null default 0,
  etag text,
  last_modified text,
  -- Of the text that was last seen. Without an article and a new text, someone has deleted it: it isn't read again.
  hash bytea,
  -- What has changed and waits for a person.
  new_title text,
  new_body text,
  new_language text,
  changed_at moment,
  primary key (workspace_id, source_id, id),
  foreign key (workspace_id, source_id) references knowledge_sources on delete cascade,
  foreign key (workspace_id, item_id) references knowledge_items on delete set null (item_id)
);
create unique index knowledge_pages_location on knowledge_pages (workspace_id, source_id, location);
create index knowledge_pages_item on knowledge_pages (workspace_id, item_id) where item_id is not null;

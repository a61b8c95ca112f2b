-- Whether the teammate has not opened the conversation since they were mentioned. Mentions from before don't count.
alter table note_mentions add column is_unread boolean not null default false;
create index note_mentions_unread on note_mentions (workspace_id, account_id) where is_unread;

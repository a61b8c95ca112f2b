-- How far each mailbox has been read over IMAP. A UID names a message only together with the folder's UIDVALIDITY: when
-- that changes, the mailbox is looked through again from a time on, and what is known is recognised.
create table mailbox_cursors (
  workspace_id id not null,
  channel_account_id id not null,
  uid_validity text not null,
  last_uid bigint not null,
  read_at moment not null,
  primary key (workspace_id, channel_account_id),
  foreign key (workspace_id, channel_account_id) references channel_accounts on delete cascade
);

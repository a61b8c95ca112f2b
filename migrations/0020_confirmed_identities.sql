-- Whether an address is more than what somebody wrote of themselves: mail from it passed its checks, or the workspace gave
-- it. verified says less: that nobody who proves no more takes the identity over.
alter table identities add column confirmed boolean not null default false;

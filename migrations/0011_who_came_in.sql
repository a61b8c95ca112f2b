-- Outside of a transaction.

-- What 0010 added, for what was there before.
update accounts a set created_in = (
  select m.workspace_id from memberships m where m.account_id = a.id order by m.created_at, m.workspace_id limit 1)
where not a.is_ai and a.created_in is null;
update memberships set sessions_since = removed_at where removed_at is not null and sessions_since is null;
insert into upload_usage (workspace_id, bytes)
select workspace_id, sum(size) from attachments where state = 'stored' and uploaded_by is not null
group by workspace_id
on conflict do nothing;

-- What somebody typed into a chat box is no identity: nobody is found by it.
delete from identities i
where i.kind in ('email', 'phone') and not i.verified
  and exists (select from visitors v where v.workspace_id = i.workspace_id and v.contact_id = i.contact_id);

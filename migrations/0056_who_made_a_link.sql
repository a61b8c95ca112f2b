-- Who made a link. An operator's opens a session at once; an emailed one asks for the second factor. Links from before
-- count as emailed: they live for 15 minutes, and nobody had a second factor then.
alter table sign_in_secrets add column made_by text not null default 'mail';

-- What a person recognizes their sign-ins by. Unknown for sessions from before.
alter table sessions add column method text;
alter table sessions add column address text;
alter table sessions add column user_agent text;

-- The language that a person's notifications and emails are in, and whether they chose it: else it is that of the browser
-- in which they last opened the console. A choice follows them to other browsers.
alter table accounts add column language text;
alter table accounts add column is_language_chosen boolean not null default false;

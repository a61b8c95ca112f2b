-- Emails that people write: recipients, subject, HTML and what is quoted, as requested, until the message is sent.
alter table held_messages add column email jsonb;

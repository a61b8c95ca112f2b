-- What a saved reply does once the reply is sent: {tagIds, assigneeId, closes}.
alter table held_messages add column after jsonb;

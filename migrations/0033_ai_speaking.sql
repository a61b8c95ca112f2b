-- When the AI agent speaks, by channel, and to whom it hands over.
alter table ai_settings
  -- By channel: {mode, afterMinutes, hours, audience: {countries, tagIds, languages}}. A channel that isn't there has the
  -- defaults.
  add column speaking jsonb not null default '{}',
  -- Whom its conversations go to; null, or somebody who is no longer there: nobody.
  add column hand_over_agent_id id,
  add column hand_over_tag_id id;

update ai_settings set speaking = (
  select jsonb_object_agg(c.name, jsonb_build_object(
    'mode', case when channels = '{}' or c.name = any(channels) then 'assigned' else 'never' end,
    'afterMinutes', 10,
    'hours', hours,
    'audience', jsonb_build_object('countries', countries, 'tagIds', tag_ids, 'languages', languages)))
  from unnest(array['email', 'facebook', 'sms', 'telegram', 'web', 'whatsapp']) c (name));

-- Processes of the previous release still read channels, countries, tag_ids, languages and hours; a later migration drops
-- them.

-- Drafts that nobody asked for: one for all that a customer writes in a row.
create unique index ai_turns_drafting_unasked on ai_turns (workspace_id, conversation_id)
  where state <> 'ended' and kind = 'draft' and asked_by is null;

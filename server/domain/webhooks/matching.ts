// Which events an endpoint wants, as a condition of SQL over an event f of the feed and an endpoint e.
import { sql } from 'kysely'

export const matches = sql`(
  (e.event_types is null or f.type = any (e.event_types) or split_part(f.type, '.', 1) || '.*' = any (e.event_types))
  and not (f.type like 'webhook\\_endpoint.%' and f.data ->> 'endpointId' = e.id)
  and (e.filter -> 'channels' is null or coalesce(e.filter -> 'channels' ? f.channel, false))
  and (e.filter -> 'directions' is null or f.data ->> 'direction' is null
    or e.filter -> 'directions' ? (f.data ->> 'direction'))
  and (e.filter -> 'notActors' is null or f.actor is null
    or not (e.filter -> 'notActors' ? split_part(f.actor, ':', 1)
      or e.filter -> 'notActors' ? 'self' and f.actor = e.created_by))
  and (e.filter -> 'agentIds' is null or exists (
    select from conversations c
    where c.workspace_id = f.workspace_id and c.id = f.conversation_id
      and e.filter -> 'agentIds' ? coalesce(c.agent_id, 'none')))
  and (e.filter -> 'tagIds' is null or exists (
    select from contact_tags t
    where t.workspace_id = f.workspace_id and t.contact_id = f.contact_id
      and e.filter -> 'tagIds' ? t.tag_id)))`

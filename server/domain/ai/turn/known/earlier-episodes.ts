// What a model is told of the time before the conversation was opened again: when that was, what the customer wanted,
// and how it ended. From rows alone, and never the words in full: what was said then isn't part of what is replied to.
import { sql } from 'kysely'
import { cleanLine } from '../../guards/clean-text.ts'
import { smallTalkOf } from '../../guards/small-talk.ts'
import { isHeard } from './heard.ts'

/** The latest are told. */
export const EPISODES_MAX = 3
/** How far back they are looked for, so that a conversation of years costs no more than one of weeks. */
const ENTRIES_MAX = 400
/** Of what the customer wrote first, until it says something. */
const FIRST_MAX = 3
const CUT_MAX = 1_000
const LINE_MAX = 240

export type EarlierEpisode = {
  startedAt: string
  endedAt: string
  /** The customer's first messages. */
  asked: string[]
  /** The last reply of a person of the team. */
  lastReply: string | null
  hasReply: boolean
  /** As its outcome is stored; null where the AI agent had no part in it. */
  outcome: { isHandedOver: boolean; isHelped: boolean; isAnswered: boolean } | null
}

/** Of a conversation, as JSON for a larger statement; the oldest first. */
export const earlierEpisodesJson = (workspaceId: string, conversationId: string) => sql<EarlierEpisode[]>`(
  with thread as (
    select m.id, m.sender_type, m.sender_id, m.body, m.metadata, m.created_at from messages m
    where m.workspace_id = ${workspaceId} and m.conversation_id = ${conversationId}
    order by m.id desc limit ${ENTRIES_MAX}::integer
  ), numbered as (
    select t.*, count(*) filter (where metadata ->> 'event' = 'reopened') over (order by id desc) as back,
      sender_type = 'customer' and ${isHeard} as is_asked,
      sender_type = 'agent' and metadata -> 'ai' is null and not starts_with(sender_id, 'api:') as is_person,
      coalesce(metadata ->> 'deletedAt', '') = '' as is_there
    from thread t
  ), spoken as (
    select * from numbered
    where back between 1 and ${EPISODES_MAX}::integer and sender_type <> 'system'
  ), episodes as (
    select back, min(id) as first_id, max(id) as last_id, min(created_at) as started_at, max(created_at) as ended_at,
      (array_agg(left(body, ${CUT_MAX}::integer) order by id) filter (where is_asked and is_there))
        [1:${FIRST_MAX}::integer] as asked,
      (array_agg(left(body, ${CUT_MAX}::integer) order by id desc) filter (where is_person and is_there))[1] as last_reply,
      bool_or(sender_type <> 'customer') as has_reply
    from spoken group by back
  )
  select coalesce(json_agg(json_build_object('startedAt', e.started_at, 'endedAt', e.ended_at,
      'asked', coalesce(e.asked, '{}'), 'lastReply', e.last_reply, 'hasReply', e.has_reply, 'outcome', (
        select json_build_object('isHandedOver', o.handed_over_at is not null,
          'isHelped', o.confirmed_by is not null, 'isAnswered', o.answered > 0)
        from ai_outcomes o
        where o.workspace_id = ${workspaceId} and o.conversation_id = ${conversationId}
          and o.first_id <= e.last_id and o.started_at <= e.ended_at
          and coalesce(o.ended_at, e.ended_at) >= e.started_at
        order by o.first_id desc limit 1)) order by e.back desc), '[]')
  from episodes e)`

/** A line for each; the customer's words stand in quotation marks, cleaned and cut. */
export const episodeLines = (episodes: readonly EarlierEpisode[], timeZone: string): string[] => {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone })
  return episodes.map((episode) => {
    const [from, to] = [episode.startedAt, episode.endedAt].map((at) => format.format(new Date(at)))
    const question = questionOf(episode)
    return [
      `${from === to ? from : `${from} to ${to}`}:`,
      question === null ? 'The customer wrote.' : `The customer wrote ${quoted(question)}`,
      ...howItEnded(episode),
    ].join(' ')
  })
}

/** What they wanted; a greeting says nothing of it. */
const questionOf = ({ asked }: EarlierEpisode): string | null =>
  asked.find((text) => text.trim() !== '' && smallTalkOf(text) === null) ?? null

const howItEnded = ({ outcome, lastReply, hasReply }: EarlierEpisode): string[] => {
  if (!hasReply) return ['Nobody replied.']
  return [
    ...(outcome?.isHandedOver
      ? ['The team took over.']
      : outcome?.isHelped
        ? ['They were answered automatically, and said that it helped.']
        : outcome?.isAnswered
          ? ['They were answered automatically.']
          : []),
    ...(lastReply === null ? [] : [`A colleague’s last reply: ${quoted(lastReply)}`]),
  ]
}

const quoted = (text: string): string => `“${cleanLine(text, LINE_MAX).replace(/[“”]/g, '"')}”`

/** The customer's own words in them. */
export const earlierTexts = (episodes: readonly EarlierEpisode[]): string[] =>
  episodes.flatMap((episode) => questionOf(episode) ?? [])

// A workspace with a WhatsApp number and many people, for the benchmarks.
import pg from 'pg'
import { runCommand } from './foyer.ts'
import type { Request } from './load.ts'
import { makeWebhooks, type Provider } from './provider.ts'

export const APP_SECRET = 'bench-app-secret'
export const NUMBER_ID = '106540352242922'
const BUSINESS_ACCOUNT_ID = '102290129340398'

export type WhatsappPlace = { client: pg.Client; workspaceId: string; number: string }

/** Needs a Foyer that serves the database; the caller ends `client`. */
export const makePlace = async (
  dataDir: string,
  connectionString: string,
  provider: Pick<Provider, 'url'>,
  /** More flags of `foyer channel add whatsapp`. */
  more: Record<string, string> = {},
): Promise<WhatsappPlace> => {
  const workspaceId = /c[0-9a-z]{24}/.exec(
    await runCommand(dataDir, 'workspace', 'create', '--name', 'Bench', '--admin', 'admin@bench.example'),
  )![0]
  const flags = {
    workspace: workspaceId,
    'phone-number': '+15550783881',
    'phone-number-id': NUMBER_ID,
    'business-account-id': BUSINESS_ACCOUNT_ID,
    'access-token': 'EAAbench',
    'app-secret': APP_SECRET,
    'verify-token': 'bench',
    'api-url': provider.url,
    ...more,
  }
  const given = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
  const added = await runCommand(dataDir, 'channel', 'add', 'whatsapp', ...given)
  const client = new pg.Client({ connectionString })
  // When something fails, the database stops before it.
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query<{ id: string }>(
    'select id from channel_accounts where workspace_id = $1',
    [workspaceId],
  )
  if (!rows[0]) throw new Error(`no channel: ${added}`)
  return { client, workspaceId, number: rows[0].id }
}

/** People with one WhatsApp conversation each, in which they wrote a moment ago, as webhooks would have created them. */
export const makePeople = async (
  { client, workspaceId, number }: WhatsappPlace,
  count: number,
): Promise<void> => {
  await client.query(
    `with person as (
       insert into contacts (workspace_id, id, name, phone, channels, conversation_count, open_count,
         latest_conversation_id, last_activity_at, search_text, created_at)
       select $1, 'cbench0p' || lpad(n::text, 17, '0'), 'Person ' || n, '+3519' || lpad(n::text, 8, '0'), '{whatsapp}', 1,
         1, 'cbench0t' || lpad(n::text, 17, '0'), now(), 'person ' || n || chr(31) || '+3519' || lpad(n::text, 8, '0'), now()
       from generate_series(1, $3::int) n
       returning id, phone
     ), identity as (
       insert into identities (workspace_id, kind, value, contact_id, created_at)
       select $1, kind, value, id, now()
       from person, lateral (values ('phone', phone), ('whatsapp_id', substr(phone, 2))) i (kind, value)
     ), counted as (
       insert into contact_counts (workspace_id, kind, key, shard, count)
       select $1, kind, key, 0, $3 from (values ('total', ''), ('channel', 'whatsapp')) c (kind, key)
     )
     insert into conversations (workspace_id, id, channel, channel_account_id, contact_id, last_inbound_at, created_at,
       updated_at)
     select $1, replace(id, 'cbench0p', 'cbench0t'), 'whatsapp', $2, id, now(), now(), now() from person`,
    [workspaceId, number, count],
  )
  await client.query('vacuum analyze')
}

/** The template `sale`, with one parameter. */
export const makeTemplate = async ({ client, workspaceId }: WhatsappPlace): Promise<void> => {
  const definition = {
    id: null,
    name: 'sale',
    language: 'en_US',
    category: 'MARKETING',
    status: 'APPROVED',
    qualityScore: null,
    rejectedReason: null,
    parameterFormat: 'positional',
    header: null,
    footer: null,
    buttons: [],
    unsupported: [],
    body: { text: 'Hello {{1}}, everything in the shop is cheaper until Sunday evening.', variables: ['1'] },
  }
  await client.query(
    `insert into whatsapp_templates (workspace_id, business_account_id, name, language, definition)
     values ($1, $2, 'sale', 'en_US', $3)`,
    [workspaceId, BUSINESS_ACCOUNT_ID, JSON.stringify(definition)],
  )
  // As if the list had been fetched a moment ago.
  await client.query(
    `insert into whatsapp_template_fetches (workspace_id, business_account_id, fetched_at)
     values ($1, $2, now() + interval '1 day')`,
    [workspaceId, BUSINESS_ACCOUNT_ID],
  )
}

const webhookOf = makeWebhooks(APP_SECRET, NUMBER_ID)
let messages = 0

/** The next of so many people writes, or somebody who never wrote before. */
export const nextWebhook = (accountId: string, people: number, isKnown = true): Request => {
  messages += 1
  const waId = isKnown
    ? `3519${String(1 + (messages % people)).padStart(8, '0')}`
    : `4916${String(messages).padStart(8, '0')}`
  return webhookOf({
    accountId,
    waId,
    name: `Customer ${waId}`,
    id: `wamid.in.${messages}`,
    text: `Where is my order number ${messages}? It should have come on Tuesday.`,
  })
}

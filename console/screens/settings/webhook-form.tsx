import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { agentsQuery } from '../../state/agents.ts'
import { useApi } from '../../state/session.tsx'
import { tagsQuery } from '../../state/tags.ts'
import type { NewWebhookEndpoint, WebhookFilter } from '../../state/webhooks.ts'
import { Button } from '../../ui/button.tsx'
import { ChannelChoice } from '../../ui/channel-choice.tsx'
import { CheckGroup, namedOptions } from '../../ui/check-group.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'
import { HeaderRows } from './header-rows.tsx'
import { WebhookEvents } from './webhook-events.tsx'

const HEADERS_MAX = 10
const PAYLOADS = [
  { value: 'thin', label: t`Ids only` },
  { value: 'full', label: t`Include the object, such as the message` },
]
const ORDERINGS = [
  { value: 'conversation', label: t`In order within a conversation` },
  { value: 'none', label: t`In any order, as fast as possible` },
  { value: 'strict', label: t`All in order: one that fails holds up the rest` },
]
const DIRECTIONS = [
  { value: 'inbound', label: t`From customers` },
  { value: 'outbound', label: t`To customers` },
] as const
const ACTORS = [
  { value: 'self', label: t`Whoever created this webhook` },
  { value: 'customer', label: t`Customers` },
  { value: 'agent', label: t`Members` },
  { value: 'ai', label: t`AI agent` },
  { value: 'token', label: t`API tokens` },
  { value: 'automation', label: t`Flows` },
  { value: 'operator', label: t`Operator` },
  { value: 'system', label: t`Foyer` },
] as const

export const WebhookForm = ({
  given,
  submitLabel,
  isNew = false,
  save,
}: {
  given: NewWebhookEndpoint
  submitLabel: string
  isNew?: boolean
  save: { error: unknown; isPending: boolean; mutate: (draft: NewWebhookEndpoint) => void }
}) => {
  const [draft, setDraft] = useState(given)
  const set = (change: Partial<NewWebhookEndpoint>) => setDraft({ ...draft, ...change })
  const {
    name = '',
    url,
    eventTypes = null,
    filter = {},
    payload,
    ordering,
    maxInFlight,
    headers = [],
  } = draft
  return (
    <Form error={save.error} onSubmit={() => save.mutate({ ...draft, name: name.trim(), url: url.trim() })}>
      <Section>
        <div className="stack stack--fields">
          <TextField
            label={t`Address`}
            name="url"
            dir="ltr"
            className="text-mono"
            value={url}
            maxLength={2_048}
            spellCheck={false}
            autoFocus={isNew}
            placeholder={t`https://crm.example.com/foyer`}
            onChange={({ target }) => set({ url: target.value })}
          />
          <TextField
            label={t`Name`}
            name="name"
            value={name}
            maxLength={100}
            placeholder={t`e.g. CRM sync`}
            hint={isNew ? t`Optional. Otherwise the host of the address.` : undefined}
            onChange={({ target }) => set({ name: target.value })}
          />
          <Select
            label={t`Content`}
            name="payload"
            value={payload}
            options={PAYLOADS}
            onChange={({ target }) => set({ payload: target.value as 'thin' | 'full' })}
          />
        </div>
      </Section>
      <Section title={t`Events`}>
        <WebhookEvents chosen={eventTypes} onChange={(eventTypes) => set({ eventTypes })} />
      </Section>
      <Disclosure title={t`Filters`} about={t`Only events that match all of them are sent.`}>
        <Filters filter={filter} onChange={(filter) => set({ filter })} />
      </Disclosure>
      <Disclosure title={t`Order and headers`}>
        <Select
          label={t`Order`}
          name="ordering"
          value={ordering}
          options={ORDERINGS}
          onChange={({ target }) => set({ ordering: target.value as 'conversation' | 'none' | 'strict' })}
        />
        <TextField
          label={t`Concurrent requests`}
          name="maxInFlight"
          type="number"
          min={1}
          max={50}
          value={maxInFlight}
          hint={t`From 1 to 50.`}
          onChange={({ target }) => set({ maxInFlight: Number(target.value) })}
        />
        <HeaderRows
          headers={headers}
          stored={(given.headers ?? []).map(({ name }) => name)}
          headersMax={HEADERS_MAX}
          onChange={(headers) => set({ headers })}
        />
      </Disclosure>
      <div className="row">
        <Button type="submit" variant="primary" isBusy={save.isPending}>
          {submitLabel}
        </Button>
      </div>
    </Form>
  )
}

const Filters = ({
  filter,
  onChange,
}: {
  filter: WebhookFilter
  onChange: (filter: WebhookFilter) => void
}) => {
  const api = useApi()
  const agents = useQuery(agentsQuery(api))
  const tags = useQuery(tagsQuery(api))
  /** An empty list would match nothing: it's left out. */
  const setter =
    <K extends keyof WebhookFilter>(key: K) =>
    (chosen: NonNullable<WebhookFilter[K]>) => {
      const { [key]: _, ...rest } = filter
      onChange(chosen.length > 0 ? { ...rest, [key]: chosen } : rest)
    }
  const { channels = [], directions = [], agentIds = [], tagIds = [], notActors = [] } = filter
  return (
    <>
      <ChannelChoice name="filter.channels" chosen={channels} onChange={setter('channels')} />
      <CheckGroup
        label={t`Messages`}
        name="filter.directions"
        options={DIRECTIONS}
        chosen={directions}
        onChange={setter('directions')}
      />
      <CheckGroup
        label={t`Assigned to`}
        name="filter.agentIds"
        options={
          agents.data && [
            { value: 'none', label: t`Unassigned` },
            ...agents.data.agents.map(({ id, nickname }) => ({ value: id, label: <bdi>{nickname}</bdi> })),
          ]
        }
        chosen={agentIds}
        onChange={setter('agentIds')}
      />
      <CheckGroup
        label={t`Contacts with any of these tags`}
        name="filter.tagIds"
        options={namedOptions(tags.data?.tags)}
        chosen={tagIds}
        onChange={setter('tagIds')}
      />
      <CheckGroup
        label={t`Leave out what was done by`}
        name="filter.notActors"
        options={ACTORS}
        chosen={notActors}
        onChange={setter('notActors')}
      />
    </>
  )
}

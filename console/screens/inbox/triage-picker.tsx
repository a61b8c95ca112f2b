// What a conversation, or several, can be snoozed until, tagged with, given as priority, or assigned to. Loaded when it
// is opened.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { UNTIL_REPLY } from '../../state/conversations.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi, useSession } from '../../state/session.tsx'
import { tagsQuery } from '../../state/tags.ts'
import { teamsQuery } from '../../state/teams.ts'
import type { Agent, ConversationRow as Row } from '../../state/types.ts'
import { Tag } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Picker } from '../../ui/picker.tsx'
import { t } from '../../words/t.ts'
import { assigneeItems, UNASSIGN } from './assignee-items.tsx'
import {
  assigning,
  type Change,
  changeRows,
  PRIORITIES,
  prioritizing,
  snoozing,
  tagging,
  teaming,
  waking,
} from './bulk.ts'
import { snoozeChoices } from './snooze-times.ts'
import { teamItems, teamOf } from './team-items.tsx'

export type PickerKind = 'snooze' | 'tag' | 'priority' | 'assign'

type Props = {
  kind: PickerKind
  rows: readonly Row[]
  /** Before the change is made. */
  onPicked: (kind: PickerKind, change: Change) => void
  onUndo?: () => void
}

const TriagePicker = ({ kind, rows, onPicked, onUndo }: Props) => {
  const api = useApi()
  const client = useQueryClient()
  const make = (change: Change): void => {
    onPicked(kind, change)
    void changeRows({ client, api }, rows, change, onUndo)
  }
  const Content = CONTENTS[kind]
  return <Content rows={rows} onChange={make} />
}
export default TriagePicker

type ContentProps = { rows: readonly Row[]; onChange: (change: Change) => void }

const END = 'end'
const DATE = 'date'

const SnoozeTimes = ({ rows, onChange }: ContentProps) => {
  const [isDate, setDate] = useState(false)
  const [choices] = useState(() => snoozeChoices(new Date()))
  if (isDate) return <SnoozeDate onPick={(until) => onChange(snoozing(until))} />
  const items = [
    ...choices.map(({ label, until, hint }) => ({ id: until, text: label, hint })),
    { id: UNTIL_REPLY, text: t`Until they reply` },
    { id: DATE, text: t`Choose a date and time…` },
    ...(rows.some(({ snoozedUntil }) => snoozedUntil) ? [{ id: END, text: t`End the snooze` }] : []),
  ]
  return (
    <div className="stack stack--tight">
      <Picker
        label={t`Snooze until`}
        placeholder={t`Snooze until…`}
        items={items}
        onPick={(id) => {
          if (id === DATE) setDate(true)
          else onChange(id === END ? waking : snoozing(id))
        }}
      />
      <p className="picker__foot text-small text-soft">{t`A reply from the customer ends it earlier.`}</p>
    </div>
  )
}

/** For `datetime-local`, in the viewer's time zone. */
const localOf = (date: Date): string =>
  new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

const SnoozeDate = ({ onPick }: { onPick: (until: string) => void }) => {
  const [at, setAt] = useState(() => localOf(new Date(Date.now() + 24 * 3_600_000)))
  const isFuture = at !== '' && new Date(at).getTime() > Date.now()
  return (
    <form
      className="stack popover__form"
      onSubmit={(event) => {
        event.preventDefault()
        if (isFuture) onPick(new Date(at).toISOString())
      }}
    >
      <label className="stack stack--tight">
        <span>{t`Snooze until`}</span>
        <input
          className="input"
          type="datetime-local"
          value={at}
          min={localOf(new Date())}
          // biome-ignore lint/a11y/noAutofocus: the person has asked for it
          autoFocus
          onChange={({ target }) => setAt(target.value)}
        />
      </label>
      <Button type="submit" variant="primary" disabled={!isFuture}>
        {t`Snooze`}
      </Button>
    </form>
  )
}

const TagNames = ({ rows, onChange }: ContentProps) => {
  const { data } = useQuery(tagsQuery(useApi()))
  const tags = data?.tags ?? []
  const onAll = tags.filter(({ id }) => rows.every((row) => row.tags.some((tag) => tag.id === id)))
  const selectedIds = new Set(onAll.map(({ id }) => id))
  return (
    <Picker
      label={t`Tags`}
      placeholder={t`Add or remove a tag…`}
      items={tags.map(({ id, name, color }) => ({
        id,
        text: name,
        content: <Tag name={name} color={color} />,
      }))}
      selectedIds={selectedIds}
      empty={tags.length === 0 ? t`No tags yet. Create them in Settings.` : t`No results.`}
      onPick={(id) => {
        const tag = tags.find((one) => one.id === id)
        if (tag) onChange(tagging(tag, !selectedIds.has(id)))
      }}
    />
  )
}

const Priorities = ({ rows, onChange }: ContentProps) => (
  <Picker
    label={t`Priority`}
    placeholder={t`Priority…`}
    items={[3, 2, 1, 0].map((priority) => ({ id: String(priority), text: PRIORITIES[priority]! }))}
    selectedIds={new Set(rows.map(({ priority }) => String(priority)))}
    isSingle
    onPick={(id) => onChange(prioritizing(Number(id)))}
  />
)

const ANYONE = { agentId: '' }

const Assignees = ({ rows, onChange }: ContentProps) => {
  const { api, session } = useSession()
  const { data } = useQuery({
    queryKey: keys.agents(api.workspaceId),
    queryFn: ({ signal }) => api.get<{ agents: Agent[] }>('/agents', {}, signal),
  })
  const agents = data?.agents ?? []
  const { data: teams = [] } = useQuery(teamsQuery(api))
  const isAnyAssigned = rows.some(({ assignment }) => assignment)
  return (
    <Picker
      label={t`Assign to`}
      placeholder={t`Assign to…`}
      empty={t`No matching teammates.`}
      items={[
        ...assigneeItems(agents, isAnyAssigned ? ANYONE : null, session.account.id),
        ...teamItems(teams, rows.find(({ team }) => team)?.team ?? null),
      ]}
      onPick={(id) => {
        const team = teamOf(id, teams)
        if (team !== undefined) onChange(teaming(team))
        const agent = agents.find((other) => other.id === id)
        if (agent || id === UNASSIGN) onChange(assigning(agent ?? null))
      }}
    />
  )
}

const CONTENTS = { snooze: SnoozeTimes, tag: TagNames, priority: Priorities, assign: Assignees }

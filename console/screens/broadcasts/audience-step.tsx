import { useQuery } from '@tanstack/react-query'
import { Filter, ListPlus, UserRoundCheck, UsersRound } from 'lucide-react'
import { countOf } from '../../state/amounts.ts'
import { groupsQuery, peopleCount } from '../../state/groups.ts'
import { useApi } from '../../state/session.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { type CardChoice, ChoiceCards } from '../../ui/choice-cards.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Section } from '../../ui/page.tsx'
import { Picker } from '../../ui/picker.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { ContactsChoice } from '../contacts/contact-picker.tsx'
import { FilterCount, FilterForm } from '../contacts/filter-form.tsx'
import type { Draft, Way } from './draft.ts'
import { RowsForm } from './rows-form.tsx'
import { Step } from './step.tsx'

const WAYS: CardChoice<Way>[] = [
  { value: 'group', label: 'A group', about: 'Everyone in the group now', icon: UsersRound },
  { value: 'contacts', label: 'Selected contacts', about: 'Search and pick people', icon: UserRoundCheck },
  { value: 'filter', label: 'A filter', about: 'Everyone who matches', icon: Filter },
  { value: 'recipients', label: 'A list', about: 'Pasted or from a CSV file', icon: ListPlus },
]
const TITLES: Record<Way, string> = {
  group: 'Choose a group',
  contacts: 'Select contacts',
  filter: 'Set conditions',
  recipients: 'Enter phone numbers',
}
const HINTS: Record<Way, string> = {
  group: 'Choose a group.',
  contacts: 'Select at least one contact.',
  // The form shows this error next to its fields.
  filter: '',
  recipients: 'Enter at least one phone number.',
}

type Props = { draft: Draft; onChange: (change: Partial<Draft>) => void }

export const AudienceStep = ({ draft, onChange, onNext }: Props & { onNext: (() => void) | undefined }) => (
  <Step
    title="Choose an audience"
    about="Only people with a WhatsApp conversation receive it, each once."
    nextLabel="Choose a template"
    onNext={onNext}
    hint={
      onNext
        ? null
        : draft.way === null
          ? 'Choose an audience.'
          : draft.table.problems.length > 0 && draft.way === 'recipients'
            ? 'Fix or remove the invalid lines.'
            : HINTS[draft.way]
    }
  >
    <ChoiceCards label="Audience" choices={WAYS} value={draft.way} onChange={(way) => onChange({ way })} />
    {draft.way && (
      <Section title={TITLES[draft.way]}>
        {draft.way === 'group' && <GroupChoice draft={draft} onChange={onChange} />}
        {draft.way === 'contacts' && (
          <ContactsChoice
            takesFocus={false}
            chosen={draft.contacts}
            onChange={(contacts) => onChange({ contacts })}
          />
        )}
        {draft.way === 'filter' && (
          <>
            <FilterForm draft={draft.filter} onChange={(filter) => onChange({ filter })} />
            <FilterCount draft={draft.filter} />
          </>
        )}
        {draft.way === 'recipients' && (
          <RowsForm
            text={draft.text}
            table={draft.table}
            onChange={(text, table) => onChange({ text, table })}
          />
        )}
      </Section>
    )}
  </Step>
)

const GroupChoice = ({ draft, onChange }: Props) => {
  const api = useApi()
  const { data, error, refetch } = useQuery(groupsQuery(api))
  if (error && !data) return <LoadProblem error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={3} label="Loading groups" />
  if (data.groups.length === 0)
    return (
      <EmptyState
        icon={UsersRound}
        title="No groups yet"
        action={<ButtonLink to="/groups">View groups</ButtonLink>}
      >
        Create a group first, or choose another audience.
      </EmptyState>
    )
  return (
    <div className="picker-box">
      <Picker
        isWide
        label="Groups"
        placeholder="Search groups…"
        empty="No matching groups."
        selectedIds={new Set([draft.groupId])}
        isSingle
        takesFocus={false}
        items={data.groups.map(({ id, name, memberCount, whatsappCount }) => ({
          id,
          text: name,
          hint: `${peopleCount(memberCount)}, ${countOf(whatsappCount)} on WhatsApp`,
        }))}
        onPick={(groupId) => onChange({ groupId })}
      />
    </div>
  )
}

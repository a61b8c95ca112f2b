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
import { t } from '../../words/t.ts'
import { ContactsChoice } from '../contacts/contact-picker.tsx'
import { FilterCount, FilterForm } from '../contacts/filter-form.tsx'
import type { Draft, Way } from './draft.ts'
import { RowsForm } from './rows-form.tsx'
import { Step } from './step.tsx'

const WAYS: CardChoice<Way>[] = [
  { value: 'group', label: t`A group`, about: t`Everyone in the group now`, icon: UsersRound },
  { value: 'contacts', label: t`Selected contacts`, about: t`Search and pick people`, icon: UserRoundCheck },
  { value: 'filter', label: t`A filter`, about: t`Everyone who matches`, icon: Filter },
  { value: 'recipients', label: t`A list`, about: t`Pasted or from a CSV file`, icon: ListPlus },
]
const TITLES: Record<Way, string> = {
  group: t`Choose a group`,
  contacts: t`Select contacts`,
  filter: t`Set conditions`,
  recipients: t`Enter phone numbers`,
}
const HINTS: Record<Way, string> = {
  group: t`Choose a group.`,
  contacts: t`Select at least one contact.`,
  // The form shows this error next to its fields.
  filter: '',
  recipients: t`Enter at least one phone number.`,
}

type Props = { draft: Draft; onChange: (change: Partial<Draft>) => void }

export const AudienceStep = ({ draft, onChange, onNext }: Props & { onNext: (() => void) | undefined }) => (
  <Step
    title={t`Choose an audience`}
    about={t`Only people with a WhatsApp conversation receive it, each once.`}
    nextLabel={t`Choose a template`}
    onNext={onNext}
    hint={
      onNext
        ? null
        : draft.way === null
          ? t`Choose an audience.`
          : draft.table.problems.length > 0 && draft.way === 'recipients'
            ? t`Fix or remove the invalid lines.`
            : HINTS[draft.way]
    }
  >
    <ChoiceCards label={t`Audience`} choices={WAYS} value={draft.way} onChange={(way) => onChange({ way })} />
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
  if (!data) return <Skeleton lines={3} label={t`Loading groups`} />
  if (data.groups.length === 0)
    return (
      <EmptyState
        icon={UsersRound}
        title={t`No groups yet`}
        action={<ButtonLink to="/groups">{t`View groups`}</ButtonLink>}
      >
        {t`Create a group first, or choose another audience.`}
      </EmptyState>
    )
  return (
    <div className="picker-box">
      <Picker
        isWide
        label={t`Groups`}
        placeholder={t`Search groups…`}
        empty={t`No matching groups.`}
        selectedIds={new Set([draft.groupId])}
        isSingle
        takesFocus={false}
        items={data.groups.map(({ id, name, memberCount, whatsappCount }) => ({
          id,
          text: name,
          hint: t`${peopleCount(memberCount)}, ${countOf(whatsappCount)} on WhatsApp`,
        }))}
        onPick={(groupId) => onChange({ groupId })}
      />
    </div>
  )
}

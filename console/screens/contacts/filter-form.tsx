// Conditions on contacts, all of which must match: for broadcast recipients and group members.

import { useQuery } from '@tanstack/react-query'
import { Plus, Tag as TagIcon, X } from 'lucide-react'
import { countOf } from '../../state/amounts.ts'
import { useApi } from '../../state/session.tsx'
import { tagsQuery } from '../../state/tags.ts'
import { Tag } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Checkbox, Select, TextField } from '../../ui/field.tsx'
import { Picker } from '../../ui/picker.tsx'
import { Popover } from '../../ui/popover.tsx'
import { t } from '../../words/t.ts'
import {
  type FieldCondition,
  type FilterDraft,
  filterOf,
  isCountable,
  problemOfField,
} from './audience-filter.ts'
import { facetsQuery } from './directory.ts'
import { ASSIGNMENT_OPTIONS, channelOptions, countryOptions } from './directory-filters.tsx'

const FIELDS_MAX = 10

export const FilterForm = ({
  draft,
  onChange,
}: {
  draft: FilterDraft
  onChange: (draft: FilterDraft) => void
}) => {
  const api = useApi()
  const { data: directory } = useQuery(facetsQuery(api))
  const set = (change: Partial<FilterDraft>): void => onChange({ ...draft, ...change })
  return (
    <div className="stack stack--loose">
      <div className="grid-2">
        <TextField
          label={t`Name, email, phone or username contains`}
          value={draft.search}
          maxLength={160}
          onChange={({ target }) => set({ search: target.value })}
        />
        <Select
          label={t`Country`}
          value={draft.country}
          options={countryOptions(directory?.facets, draft.country)}
          onChange={({ target }) => set({ country: target.value })}
        />
        <Select
          label={t`Channel`}
          value={draft.channel}
          options={channelOptions(directory?.facets, draft.channel)}
          onChange={({ target }) => set({ channel: target.value })}
        />
        <Select
          label={t`Assignment`}
          value={draft.assignment}
          options={ASSIGNMENT_OPTIONS}
          onChange={({ target }) => set({ assignment: target.value })}
        />
        <TextField
          label={t`Active on or after`}
          type="date"
          value={draft.activeAfter}
          onChange={({ target }) => set({ activeAfter: target.value })}
        />
        <TextField
          label={t`Active on or before`}
          type="date"
          value={draft.activeBefore}
          onChange={({ target }) => set({ activeBefore: target.value })}
        />
      </div>
      <Checkbox
        label={t`Has an open conversation`}
        checked={draft.hasOpen}
        onChange={({ target }) => set({ hasOpen: target.checked })}
      />
      <TagConditions tagIds={draft.tagIds} onChange={(tagIds) => set({ tagIds })} />
      <FieldConditions fields={draft.fields} onChange={(fields) => set({ fields })} />
    </div>
  )
}

const TagConditions = ({ tagIds, onChange }: { tagIds: string[]; onChange: (tagIds: string[]) => void }) => {
  const api = useApi()
  const { data } = useQuery(tagsQuery(api))
  const tags = data?.tags ?? []
  if (data && tags.length === 0) return null
  const toggle = (id: string): void =>
    onChange(tagIds.includes(id) ? tagIds.filter((other) => other !== id) : [...tagIds, id])
  return (
    <div className="stack stack--tight">
      <span className="field__label">{t`Tags (all must match)`}</span>
      <div className="row row--wrap">
        {tags
          .filter(({ id }) => tagIds.includes(id))
          .map(({ id, name, color }) => (
            <span key={id} className="row">
              <Tag name={name} color={color} />
            </span>
          ))}
        <Popover
          label={t`Tags`}
          isFlush
          align="start"
          trigger={
            <Button size="small" icon={TagIcon}>
              {tagIds.length === 0 ? t`Choose tags` : t`Change`}
            </Button>
          }
        >
          <Picker
            label={t`Tags`}
            empty={t`No matching tags.`}
            selectedIds={new Set(tagIds)}
            items={tags.map(({ id, name, color }) => ({
              id,
              text: name,
              content: <Tag name={name} color={color} />,
            }))}
            onPick={toggle}
          />
        </Popover>
      </div>
    </div>
  )
}

const KINDS = [
  { value: 'text', label: t`is (text)` },
  { value: 'number', label: t`is (number)` },
  { value: 'boolean', label: t`is (yes/no)` },
]

const FieldConditions = ({
  fields,
  onChange,
}: {
  fields: FieldCondition[]
  onChange: (fields: FieldCondition[]) => void
}) => {
  const change = (index: number, change: Partial<FieldCondition>): void =>
    onChange(fields.map((field, at) => (at === index ? { ...field, ...change } : field)))
  return (
    <fieldset className="stack stack--tight">
      <legend className="field__label">{t`Custom fields`}</legend>
      {fields.map((field, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no id other than their position
        <div key={index} className="condition">
          <TextField
            label={t`Field ${index + 1}`}
            isLabelHidden
            placeholder={t`Field`}
            maxLength={64}
            value={field.key}
            problem={field.value !== '' ? (problemOfField(field) ?? undefined) : undefined}
            onChange={({ target }) => change(index, { key: target.value })}
          />
          <Select
            label={t`Type of field ${index + 1}`}
            isLabelHidden
            value={field.kind}
            options={KINDS}
            onChange={({ target }) =>
              change(index, {
                kind: target.value as FieldCondition['kind'],
                value: target.value === 'boolean' ? 'true' : '',
              })
            }
          />
          {field.kind === 'boolean' ? (
            <Select
              label={t`Value of field ${index + 1}`}
              isLabelHidden
              value={field.value}
              options={[
                { value: 'true', label: 'yes' },
                { value: 'false', label: 'no' },
              ]}
              onChange={({ target }) => change(index, { value: target.value })}
            />
          ) : (
            <TextField
              label={t`Value of field ${index + 1}`}
              isLabelHidden
              placeholder={t`Value`}
              inputMode={field.kind === 'number' ? 'decimal' : undefined}
              maxLength={500}
              value={field.value}
              onChange={({ target }) => change(index, { value: target.value })}
            />
          )}
          <IconButton
            icon={X}
            label={t`Remove condition on ${field.key || t`field ${index + 1}`}`}
            onClick={() => onChange(fields.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      {fields.length < FIELDS_MAX && (
        <div>
          <Button
            size="small"
            icon={Plus}
            onClick={() => onChange([...fields, { key: '', kind: 'text', value: '' }])}
          >
            {t`Add condition`}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

/** The number of matching contacts, if the directory can count them. */
export const FilterCount = ({ draft }: { draft: FilterDraft }) => {
  const api = useApi()
  const filter = filterOf(draft)
  const countable = filter !== null && isCountable(filter)
  const { data, isPlaceholderData } = useQuery({
    ...facetsQuery(api, {
      q: filter?.search,
      country: filter?.country,
      channel: filter?.channel,
      assignment: filter?.assignment,
      open: filter?.hasOpen,
    }),
    enabled: countable,
  })
  return (
    <p className="text-soft numeric" role="status">
      {filter === null
        ? t`Add at least one condition.`
        : !countable
          ? t`Matches contacts that meet all conditions.`
          : !data || isPlaceholderData
            ? t`Counting…`
            : data.total === 1
              ? t`1 contact matches.`
              : t`${countOf(data.total)} contacts match.`}
    </p>
  )
}

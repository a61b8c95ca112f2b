import type { Directory } from '../../state/types.ts'
import { channelName } from '../../ui/channel-name.ts'
import { Select } from '../../ui/field.tsx'
import { t } from '../../words/t.ts'
import { countryOf } from './contact-parts.tsx'
import type { DirectorySearch } from './directory.ts'

type Facets = Directory['facets'] | undefined

export const countryOptions = (facets: Facets, chosen: string | undefined) => {
  const known = (facets?.countries ?? []).map(({ code, count }) => ({
    value: code,
    label: `${countryOf(code)} (${count})`,
  }))
  const isKnown = !chosen || known.some(({ value }) => value === chosen)
  return [
    { value: '', label: t`All countries` },
    ...(isKnown ? [] : [{ value: chosen, label: countryOf(chosen) }]),
    ...known.sort((a, b) => a.label.localeCompare(b.label)),
  ]
}

export const channelOptions = (facets: Facets, chosen: string | undefined) => {
  const known = (facets?.channels ?? []).map(({ platform, count }) => ({
    value: platform as string,
    label: `${channelName(platform)} (${count})`,
  }))
  const isKnown = !chosen || known.some(({ value }) => value === chosen)
  return [
    { value: '', label: t`All channels` },
    ...(isKnown ? [] : [{ value: chosen, label: channelName(chosen) }]),
    ...known,
  ]
}

export const ASSIGNMENT_OPTIONS = [
  { value: '', label: t`Any assignee` },
  { value: 'assigned', label: t`Assigned` },
  { value: 'unassigned', label: t`Unassigned` },
]

/** The filters, without the search field and the selection. */
export const DirectoryFilters = ({
  search,
  facets,
  onChange,
}: {
  search: DirectorySearch
  facets: Facets
  onChange: (change: DirectorySearch) => void
}) => (
  <>
    <Select
      label={t`Country`}
      isLabelHidden
      value={search.country ?? ''}
      options={countryOptions(facets, search.country)}
      onChange={({ target }) => onChange({ country: target.value || undefined })}
    />
    <Select
      label={t`Channel`}
      isLabelHidden
      value={search.channel ?? ''}
      options={channelOptions(facets, search.channel)}
      onChange={({ target }) => onChange({ channel: target.value || undefined })}
    />
    <Select
      label={t`Assignment`}
      isLabelHidden
      value={search.assignment ?? ''}
      options={ASSIGNMENT_OPTIONS}
      onChange={({ target }) =>
        onChange({ assignment: (target.value || undefined) as DirectorySearch['assignment'] })
      }
    />
    <Select
      label={t`Order`}
      isLabelHidden
      value={search.sort ?? ''}
      options={[
        { value: '', label: t`Latest activity first` },
        { value: 'created', label: t`Newest contacts first` },
      ]}
      onChange={({ target }) => onChange({ sort: target.value === 'created' ? 'created' : undefined })}
    />
  </>
)

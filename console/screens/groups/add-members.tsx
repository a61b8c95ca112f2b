// Three ways to add members: by search, by filter, or from a pasted list.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countOf } from '../../state/amounts.ts'
import type { ApiError } from '../../state/api.ts'
import { addedWords, groupsChanged, peopleCount } from '../../state/groups.ts'
import { useApi } from '../../state/session.tsx'
import type { AudienceFilter, GroupSummary, MembersAdded } from '../../state/types.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FieldProblems, FormProblem, TextArea } from '../../ui/field.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { t } from '../../words/t.ts'
import { EMPTY_FILTER, filterOf } from '../contacts/audience-filter.ts'
import type { Chosen } from '../contacts/chosen-contacts.tsx'
import { ContactsChoice } from '../contacts/contact-picker.tsx'
import { FilterCount, FilterForm } from '../contacts/filter-form.tsx'

const LINES_MAX = 10_000

type Body = { contactIds: string[] } | { filter: AudienceFilter } | { phonesOrEmails: string[] }
type Way = 'pick' | 'filter' | 'paste'

const linesOf = (text: string): string[] =>
  text
    .split(/[\n;]|,(?=\s|[^\s,]+@|\+)/)
    .map((line) => line.trim())
    .filter(Boolean)

const AddMembers = ({ group, onClose }: { group: GroupSummary; onClose: () => void }) => {
  const api = useApi()
  const client = useQueryClient()
  const [way, setWay] = useState<Way>('pick')
  const [chosen, setChosen] = useState<Chosen[]>([])
  const [filter, setFilter] = useState(EMPTY_FILTER)
  const [text, setText] = useState('')
  const lines = linesOf(text)
  const readFilter = filterOf(filter)

  const add = useMutation({
    mutationFn: (body: Body) => api.post<MembersAdded>(`/contact-groups/${group.id}/members`, body),
    onSuccess: () => groupsChanged(client, api.workspaceId, group.id),
  })
  const body: Body | null =
    way === 'pick'
      ? chosen.length > 0
        ? { contactIds: chosen.map(({ id }) => id) }
        : null
      : way === 'filter'
        ? readFilter && { filter: readFilter }
        : lines.length > 0 && lines.length <= LINES_MAX
          ? { phonesOrEmails: lines }
          : null

  if (add.data) {
    return (
      <Added
        answer={add.data}
        onMore={() => {
          setChosen([])
          setText('')
          add.reset()
        }}
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog
      title={t`Add people to ${group.name}`}
      isOpen
      isWide
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button
            variant="primary"
            disabled={!body}
            isBusy={add.isPending}
            onClick={() => body && add.mutate(body)}
          >
            {way === 'pick' && chosen.length > 0
              ? t`Add ${peopleCount(chosen.length)}`
              : way === 'paste' && lines.length > 0
                ? t`Add from ${countOf(lines.length)} ${lines.length === 1 ? t`line` : t`lines`}`
                : t`Add`}
          </Button>
        </>
      }
    >
      <FieldProblems details={(add.error as ApiError | null)?.details}>
        <FormProblem error={add.error} fields={way === 'paste' ? ['phonesOrEmails'] : []} />
        <Tabs
          label={t`Ways to add people`}
          value={way}
          onChange={(next) => {
            add.reset()
            setWay(next as Way)
          }}
          tabs={[
            {
              id: 'pick',
              label: t`Search`,
              content: (
                <div className="stack">
                  <ContactsChoice chosen={chosen} onChange={setChosen} />
                </div>
              ),
            },
            {
              id: 'filter',
              label: t`Filter`,
              content: (
                <div className="stack">
                  <p className="text-soft">{t`Adds everyone who matches now. Later matches aren’t added.`}</p>
                  <FilterForm draft={filter} onChange={setFilter} />
                  <FilterCount draft={filter} />
                </div>
              ),
            },
            {
              id: 'paste',
              label: t`Paste a list`,
              content: <LinesField text={text} count={lines.length} onChange={setText} />,
            },
          ]}
        />
      </FieldProblems>
    </Dialog>
  )
}
export default AddMembers

const LinesField = ({
  text,
  count,
  onChange,
}: {
  text: string
  count: number
  onChange: (text: string) => void
}) => (
  <TextArea
    label={t`Phone numbers and emails`}
    name="phonesOrEmails"
    hint={t`One per line. Phone numbers need a country code, e.g. +49 151 23456789. Only existing contacts are added.`}
    rows={8}
    className="lines"
    dir="ltr"
    spellCheck={false}
    value={text}
    problem={
      count > LINES_MAX ? t`${countOf(count)} lines is over the limit of ${countOf(LINES_MAX)}.` : undefined
    }
    onChange={({ target }) => onChange(target.value)}
  />
)

const Added = ({
  answer,
  onMore,
  onClose,
}: {
  answer: MembersAdded
  onMore: () => void
  onClose: () => void
}) => (
  <Dialog
    title={t`Done`}
    isOpen
    isWide
    onClose={onClose}
    foot={
      <>
        <Button onClick={onMore}>{t`Add more`}</Button>
        <Button variant="primary" onClick={onClose} autoFocus>
          {t`Close`}
        </Button>
      </>
    }
  >
    <div className="stack">
      <Banner tone="ok">{addedWords(answer)}</Banner>
      {answer.notFound.length > 0 && (
        <>
          <Banner tone="warn">
            {answer.notFound.length === 1
              ? t`1 line matches no contact:`
              : t`${countOf(answer.notFound.length)} lines match no contact:`}
          </Banner>
          <TextArea
            label={t`Not found`}
            isLabelHidden
            readOnly
            rows={Math.min(8, answer.notFound.length + 1)}
            className="lines"
            dir="ltr"
            value={answer.notFound.join('\n')}
          />
        </>
      )}
    </div>
  </Dialog>
)

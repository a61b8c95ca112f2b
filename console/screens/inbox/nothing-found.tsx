import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import type { ListFilter } from '../../state/conversations.ts'
import { foundCountsQuery } from '../../state/found.ts'
import { useApi } from '../../state/session.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { t } from '../../words/t.ts'

/** Says where else there is something. */
export const NothingFound = ({ filter }: { filter: ListFilter }) => {
  const { view, order: _, q, ...narrowing } = filter
  const { data } = useQuery({ ...foundCountsQuery(useApi(), filter), enabled: view !== 'all' })
  const navigate = useNavigate()
  const elsewhere = (['open', 'closed'] as const).filter(
    (status) => status !== view && data && data[status] > 0,
  )
  const isFiltered = Object.values(narrowing).some(Boolean)
  return (
    <EmptyState
      icon={SearchX}
      title={t`No results for “${q}”${IN[view]}`}
      action={
        <div className="row row--wrap">
          {elsewhere.map((status) => (
            <ButtonLink
              key={status}
              to="/inbox/$view"
              params={{ view: status }}
              search={{ q, ...narrowing }}
              variant="secondary"
            >
              {t`${data?.[status]}${data?.isMore ? '+' : ''} in ${status === 'open' ? t`:tab:Open` : t`:tab:Closed`}`}
            </ButtonLink>
          ))}
          {isFiltered && (
            <Button
              onClick={() =>
                void navigate({
                  to: '.',
                  search: ({ q, order }) => ({ q, order }),
                  replace: true,
                })
              }
            >
              {t`Clear filters`}
            </Button>
          )}
        </div>
      }
    >
      {elsewhere.length === 0 &&
        t`We searched names, emails, phone numbers, subjects, messages, notes, file names and tags.`}
    </EmptyState>
  )
}

const IN = {
  mine: t` in Mine`,
  unassigned: t` in Unassigned`,
  open: t` in Open`,
  snoozed: t` in Snoozed`,
  mentions: t` in Mentions`,
  closed: t` in Closed`,
  all: '',
}

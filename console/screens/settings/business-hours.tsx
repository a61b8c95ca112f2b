import { Clock, Plus } from 'lucide-react'
import type { BusinessHours } from '../../state/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { DAYS } from '../../ui/week-times.tsx'
import { t } from '../../words/t.ts'
import { useSetting } from './use-setting.ts'

export type BusinessHoursList = { businessHours: BusinessHours[] }

export const BusinessHoursSettings = () => {
  const { data, error, refetch } = useSetting<BusinessHoursList>('business-hours', '/business-hours')
  return (
    <SidePage
      title={t`Business hours`}
      about={t`Flows use them to reply out of hours, and to wait until you open.`}
      actions={
        <ButtonLink
          to="/settings/business-hours/$hoursId"
          params={{ hoursId: 'new' }}
          variant="primary"
          icon={Plus}
        >
          {t`New hours`}
        </ButtonLink>
      }
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={2} />
      ) : data.businessHours.length === 0 ? (
        <EmptyState icon={Clock} title={t`No business hours yet`}>
          {t`Add when your team is available. The first ones are the default.`}
        </EmptyState>
      ) : (
        <ItemList label={t`Business hours`}>
          {data.businessHours.map((hours) => (
            <Item
              key={hours.id}
              title={
                <>
                  <bdi>{hours.name}</bdi> {hours.isDefault && <Badge>{t`Default`}</Badge>}
                </>
              }
              about={summaryOf(hours)}
              meta={hours.timeZone}
              link={{ to: '/settings/business-hours/$hoursId', params: { hoursId: hours.id } }}
            />
          ))}
        </ItemList>
      )}
    </SidePage>
  )
}

/** Days in a row with the same times are put together: “Mon–Fri 09:00–17:00, Sat 10:00–14:00”. */
const summaryOf = ({ weekly, exceptions }: BusinessHours): string => {
  const groups: { first: string; last: string; times: string }[] = []
  for (const { id, short } of DAYS) {
    const times = (weekly[id] ?? []).map(({ from, to }) => `${from}–${to}`).join(t` and `)
    const before = groups.at(-1)
    if (before?.times === times) before.last = short
    else groups.push({ first: short, last: short, times })
  }
  const open = groups
    .filter(({ times }) => times !== '')
    .map(({ first, last, times }) => `${first === last ? first : `${first}–${last}`} ${times}`)
  const dates = exceptions.length === 1 ? t`1 other date` : t`${exceptions.length} other dates`
  return [open.join(', ') || t`Always closed`, ...(exceptions.length > 0 ? [dates] : [])].join(' · ')
}

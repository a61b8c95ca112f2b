// Where a visitor is, as far as their browser says: their page, language and local time.

import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { agoOf, fullMoment } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { Visit } from '../../state/types.ts'
import { Fact, Facts } from '../../ui/page.tsx'
import { LOCALE } from '../../words/locale.ts'
import { t } from '../../words/t.ts'
import { Part } from './contact-parts.tsx'

const MINUTE_MS = 60_000

const languageOf = (locale: string): string => {
  try {
    return new Intl.DisplayNames(LOCALE, { type: 'language' }).of(locale) ?? locale
  } catch {
    return locale
  }
}

const useLocalTime = (timeZone: string | null): string | null => {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), MINUTE_MS)
    return () => clearInterval(timer)
  }, [])
  if (!timeZone) return null
  try {
    return new Intl.DateTimeFormat(LOCALE, {
      timeZone,
      weekday: 'short',
      hour: 'numeric',
      minute: '2-digit',
    }).format(now)
  } catch {
    // This browser doesn't know the zone.
    return null
  }
}

const LastVisit = ({ contactId }: { contactId: string }) => {
  const api = useApi()
  const { data } = useQuery({
    queryKey: keys.contactVisit(api.workspaceId, contactId),
    queryFn: ({ signal }) => api.get<{ visit: Visit }>(`/contacts/${contactId}/visit`, {}, signal),
  })
  const time = useLocalTime(data?.visit?.timeZone ?? null)
  if (!data?.visit) return null
  const { page, locale, timeZone, seenAt } = data.visit
  return (
    <Part title={t`On your website`}>
      <Facts>
        {page && (
          <Fact name={t`Page`}>
            <a href={page} target="_blank" rel="noopener noreferrer">
              {page.replace(/^https?:\/\//, '')}
            </a>
          </Fact>
        )}
        {time && (
          <Fact name={t`Local time`}>
            <span title={timeZone ?? undefined}>{time}</span>
          </Fact>
        )}
        {locale && <Fact name={t`Language`}>{languageOf(locale)}</Fact>}
        <Fact name={t`Last seen`}>
          <span title={fullMoment(seenAt)}>{agoOf(seenAt)}</span>
        </Fact>
      </Facts>
    </Part>
  )
}
export default LastVisit

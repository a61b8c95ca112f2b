// Where the browser comes back to from a mailbox's provider: hands over what it said, and shows what became of it.
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useApi } from '../../state/session.tsx'
import type { AddedChannel } from '../../state/types.ts'
import { Banner } from '../../ui/banner.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { CheckList } from '../../ui/check-list.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { BackLink } from './back-link.tsx'
import { useSettingsChanged } from './use-setting.ts'

export const ConnectMailbox = () => {
  const api = useApi()
  const navigate = useNavigate()
  const changed = useSettingsChanged()
  const isBegun = useRef(false)
  const { data, error, mutate } = useMutation({
    mutationFn: (search: string) => api.post<AddedChannel>('/mailbox-sign-in/finish', { search }),
    onSuccess: async ({ channel, checks }) => {
      await changed()
      if (!channel) return
      const isWorking = checks.every(({ ok }) => ok)
      toast(isWorking ? t`Mailbox connected` : t`The mailbox was connected, but its test failed`, {
        tone: isWorking ? undefined : 'danger',
      })
      await navigate({
        to: '/settings/channels/$channelId',
        params: { channelId: channel.id },
        replace: true,
      })
    },
  })
  useEffect(() => {
    // Once, also where effects run twice: the code is good for one try.
    if (isBegun.current) return
    isBegun.current = true
    const { search, pathname } = window.location
    // It isn't kept in the browser's history.
    window.history.replaceState(window.history.state, '', pathname)
    mutate(search.slice(1) || 'error=missing')
  }, [mutate])

  const failed = data && !data.channel ? data.checks : null
  return (
    <SidePage title={t`Connect a mailbox`} back={<BackLink />}>
      {error || failed ? (
        <>
          <Banner tone="danger" icon={TriangleAlert}>
            {error ? error.message : t`The mailbox wasn’t added because the test failed.`}
          </Banner>
          {failed && <CheckList checks={failed} />}
          <div className="row">
            <ButtonLink to="/settings/channels/add/$kind" params={{ kind: 'email' }} variant="primary">
              {t`Try again`}
            </ButtonLink>
          </div>
        </>
      ) : (
        <p className="text-soft" role="status">
          {t`Connecting the mailbox…`}
        </p>
      )}
    </SidePage>
  )
}

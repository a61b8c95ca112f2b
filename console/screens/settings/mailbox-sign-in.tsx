// Connecting a mailbox by signing in at Google or Microsoft, which nobody has to know servers and passwords for.
import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'

type Providers = { providers: { name: string; label: string }[] }

const useMailboxSignIn = (channelId?: string) => {
  const api = useApi()
  const { data } = useQuery({
    queryKey: keys.mailProviders(api.workspaceId),
    queryFn: ({ signal }) => api.get<Providers>('/mailbox-sign-in', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const start = useMutation({
    mutationFn: (provider: string) => api.post<{ url: string }>('/mailbox-sign-in', { provider, channelId }),
    onSuccess: ({ url }) => window.location.assign(url),
    onError: toastError,
  })
  return { providers: data?.providers ?? [], start }
}

const Buttons = ({ verb, channelId }: { verb: string; channelId?: string }) => {
  const { providers, start } = useMailboxSignIn(channelId)
  return (
    <div className="row row--wrap">
      {providers.map(({ name, label }) => (
        <Button
          key={name}
          icon={KeyRound}
          isBusy={start.isPending && start.variables === name}
          onClick={() => start.mutate(name)}
        >
          {verb} {label}
        </Button>
      ))}
    </div>
  )
}

/** Nothing if whoever runs Foyer has registered no application. */
export const MailboxSignIn = () => {
  const { providers } = useMailboxSignIn()
  if (providers.length === 0) return null
  return (
    <Section title={t`Sign in`} about={t`Sign in as the mailbox and allow Foyer to read and send its mail.`}>
      <Buttons verb={t`Sign in with`} />
    </Section>
  )
}

/** For a mailbox whose access was refused or withdrawn. */
export const Reconnect = ({ channelId }: { channelId: string }) => (
  <Buttons verb={t`Reconnect with`} channelId={channelId} />
)

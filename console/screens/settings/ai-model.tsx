// The language model that the AI agent thinks with: where it is, whether it works, and what is sent to it.
import { useMutation } from '@tanstack/react-query'
import { Lock, Stethoscope, Unplug } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { ModelProvider, ProviderAnswer } from '../../state/ai.ts'
import { fullMoment } from '../../state/dates.ts'
import { useApi, useSession } from '../../state/session.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckList } from '../../ui/check-list.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { ConfirmDialog } from '../../ui/lazy-dialogs.ts'
import { Section } from '../../ui/page.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { ModelData } from './ai-model-data.tsx'
import { ModelForm } from './ai-model-form.tsx'
import { BackLink } from './back-link.tsx'
import { useSetting, useSettingsChanged } from './use-setting.ts'

export const AiModelSettings = () => {
  const { isAdmin } = useSession()
  return (
    <SidePage
      title="Model"
      back={<BackLink to="aiAgent" />}
      about="A language model lets the AI agent reply in its own words, from your articles and answers. Without one, it sends your answers word for word."
    >
      {isAdmin ? (
        <Provider />
      ) : (
        <EmptyState icon={Lock} title="Only admins can change this">
          The model decides where customers’ messages are sent. Ask an admin to change it.
        </EmptyState>
      )}
    </SidePage>
  )
}

const Provider = () => {
  const { data, error, refetch } = useSetting<ProviderAnswer>('ai-provider', '/ai-provider')
  if (error) return <LoadProblem error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={6} />
  const { provider } = data
  return (
    <>
      {provider?.key === 'unreadable' && (
        <Banner tone="danger">
          The key can’t be decrypted with this server’s SECRET_KEY, so the agent replies without a model.
          Enter the key again.
        </Banner>
      )}
      <ModelForm provider={provider} />
      {provider && <ModelCheck provider={provider} />}
      <ModelData />
      {provider && <Disconnect />}
    </>
  )
}

const ModelCheck = ({ provider }: { provider: ModelProvider }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const run = useMutation({
    mutationFn: () => api.post<ProviderAnswer>('/ai-provider/check'),
    onSuccess: () => changed(),
  })
  const { check } = provider
  return (
    <Section
      title="Test"
      about="Has the model use a tool and finish a reply. Nothing about your customers is sent. It costs a few hundred tokens."
      actions={
        <Button icon={Stethoscope} isBusy={run.isPending} onClick={() => run.mutate()}>
          Check
        </Button>
      }
    >
      <div role="status" className="stack stack--tight">
        {run.isPending ? (
          <p className="text-soft">Testing… this can take a minute.</p>
        ) : run.error ? (
          <p className="text-danger">{run.error.message}</p>
        ) : check ? (
          <>
            <CheckList checks={check.steps} />
            <p className="text-soft text-small">
              {check.isUsable ? 'The agent can use this model.' : 'The agent can’t use this model.'} Checked{' '}
              {fullMoment(check.checkedAt)}.
            </p>
          </>
        ) : (
          <p className="text-soft">Not checked since it was last changed.</p>
        )}
      </div>
    </Section>
  )
}

const Disconnect = () => {
  const api = useApi()
  const changed = useSettingsChanged()
  const [isOpen, setOpen] = useState(false)
  return (
    <Section
      title="Disconnect"
      about="Removes the address and the key. The agent goes on with your answers, word for word."
      actions={
        <Button icon={Unplug} onClick={() => setOpen(true)}>
          Disconnect
        </Button>
      }
    >
      <Suspense>
        {isOpen && (
          <ConfirmDialog
            title="Disconnect the model?"
            about="The key is deleted. To connect the model again, you have to enter it again."
            confirmLabel="Disconnect"
            isOpen
            onClose={() => setOpen(false)}
            onConfirm={async () => {
              await api.delete('/ai-provider')
              await changed()
              toast('Model disconnected')
            }}
          />
        )}
      </Suspense>
    </Section>
  )
}

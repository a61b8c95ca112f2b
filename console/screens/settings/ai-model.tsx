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
import { rich, t } from '../../words/t.ts'
import { ModelData } from './ai-model-data.tsx'
import { ModelForm } from './ai-model-form.tsx'
import { BackLink } from './back-link.tsx'
import { useSetting, useSettingsChanged } from './use-setting.ts'

export const AiModelSettings = () => {
  const { isAdmin } = useSession()
  return (
    <SidePage
      title={t`Model`}
      back={<BackLink to="aiAgent" />}
      about={t`A language model lets the AI agent reply in its own words, from your articles and answers. Without one, it sends your answers word for word.`}
    >
      {isAdmin ? (
        <Provider />
      ) : (
        <EmptyState icon={Lock} title={t`Only admins can change this`}>
          {t`The model decides where customers’ messages are sent. Ask an admin to change it.`}
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
          {t`The key can’t be decrypted with this server’s SECRET_KEY, so the agent replies without a model. Enter the key again.`}
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
      title={t`Test`}
      about={t`Has the model use a tool and finish a reply. Nothing about your customers is sent. It costs a few hundred tokens.`}
      actions={
        <Button icon={Stethoscope} isBusy={run.isPending} onClick={() => run.mutate()}>
          {t`Check`}
        </Button>
      }
    >
      <div role="status" className="stack stack--tight">
        {run.isPending ? (
          <p className="text-soft">{t`Testing… this can take a minute.`}</p>
        ) : run.error ? (
          <p className="text-danger">{run.error.message}</p>
        ) : check ? (
          <>
            <CheckList checks={check.steps} />
            <p className="text-soft text-small">
              {rich`${check.isUsable ? t`The agent can use this model.` : t`The agent can’t use this model.`} Checked ${fullMoment(check.checkedAt)}.`}
            </p>
          </>
        ) : (
          <p className="text-soft">{t`Not checked since it was last changed.`}</p>
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
      title={t`Disconnect`}
      about={t`Removes the address and the key. The agent goes on with your answers, word for word.`}
      actions={
        <Button icon={Unplug} onClick={() => setOpen(true)}>
          {t`Disconnect`}
        </Button>
      }
    >
      <Suspense>
        {isOpen && (
          <ConfirmDialog
            title={t`Disconnect the model?`}
            about={t`The key is deleted. To connect the model again, you have to enter it again.`}
            confirmLabel={t`Disconnect`}
            isOpen
            onClose={() => setOpen(false)}
            onConfirm={async () => {
              await api.delete('/ai-provider')
              await changed()
              toast(t`Model disconnected`)
            }}
          />
        )}
      </Suspense>
    </Section>
  )
}

// What the AI agent is told: a draft that is saved as it is typed, and versions of it.
import { useQueryClient } from '@tanstack/react-query'
import { Redo2, Rocket, Undo2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { Guidance, GuidanceAnswer } from '../../state/ai.ts'
import { ApiError } from '../../state/api.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { DraftBanner, SaveWords } from '../../ui/draft-state.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { FieldProblems } from '../../ui/field.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { Skeleton, Spinner } from '../../ui/spinner.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { BackLink } from '../settings/back-link.tsx'
import { useSetting } from '../settings/use-setting.ts'
import { AccessTab } from './access-tab.tsx'
import { compareGuidance } from './compare-guidance.ts'
import { RulesTab } from './rules-tab.tsx'
import { PAGE, type TabProps, useGuidanceDraft, useNames } from './use-guidance.ts'
import { VoiceTab } from './voice-tab.tsx'

const GuidanceVersions = lazy(() => import('./guidance-versions.tsx'))
const PublishGuidance = lazy(() => import('./publish-guidance.tsx'))

type Refusal = { field: string; message: string }

export const GuidanceSettings = () => {
  const { data, error, refetch } = useSetting<GuidanceAnswer>(PAGE, '/ai-guidance')
  if (error) return <LoadProblem error={error} onRetry={() => void refetch()} />
  return data ? <Editor stored={data} /> : <Skeleton lines={6} />
}

/** Rules are counted from 1 by people. */
const placeOf = (field: string): string => {
  const rule = /^rules\[(\d+)\]/.exec(field)
  if (rule) return t`Rule ${Number(rule[1]) + 1}`
  return { tagIds: t`Tags`, flowIds: t`Flows`, actionIds: t`Actions` }[field] ?? field
}

const Editor = ({ stored }: { stored: GuidanceAnswer }) => {
  const api = useApi()
  const client = useQueryClient()
  const { store, draft } = useGuidanceDraft(stored)
  const names = useNames()
  const [tab, setTab] = useState('voice')
  const [isPublishing, setPublishing] = useState(false)
  const [refusals, setRefusals] = useState<Refusal[]>([])
  const { past, present: guidance, future } = draft.history
  const compare = (before: Guidance, after: Guidance) => compareGuidance(before, after, names.nameOf)
  const props: TabProps = {
    guidance,
    names,
    onChange: (change, topic = null) => store.change((now) => ({ ...now, ...change }), topic),
  }
  const publish = async (): Promise<void> => {
    await store.flush()
    if (store.get().save.is !== 'saved') throw new Error(t`The draft isn’t saved yet. Try again in a moment.`)
    try {
      const { revision } = store.get()
      const published = await api.post<GuidanceAnswer>('/ai-guidance/publish', { revision })
      client.setQueryData(keys.setting(api.workspaceId, PAGE), published)
      setRefusals([])
      toast(t`Version ${published.liveVersion} is live`)
    } catch (error) {
      if (!(error instanceof ApiError) || !error.details?.length) throw error
      setRefusals([...error.details])
      setTab(error.details[0]!.field.startsWith('rules') ? 'rules' : 'access')
    }
  }
  return (
    <SidePage
      title={t`Instructions and rules`}
      back={<BackLink to="aiAgent" />}
      about={
        <>
          {stored.liveVersion === null ? t`Nothing is live yet` : t`Version ${stored.liveVersion} is live`}
          {(stored.revision > 0 || past.length > 0) && (
            <>
              {' · '}
              <SaveWords save={draft.save} />
            </>
          )}
        </>
      }
      actions={
        <div className="row">
          <IconButton icon={Undo2} label={t`Undo`} disabled={past.length === 0} onClick={store.undo} />
          <IconButton icon={Redo2} label={t`Redo`} disabled={future.length === 0} onClick={store.redo} />
          <Button icon={Rocket} variant="primary" onClick={() => setPublishing(true)}>
            {t`Publish`}
          </Button>
        </div>
      }
    >
      <DraftBanner store={store} save={draft.save} definition={guidance} compare={compare} />
      {refusals.length > 0 && (
        <Banner tone="danger">
          {t`Not published. Fix these first:`}
          {refusals.map(({ field, message }) => (
            <div key={field}>
              {placeOf(field)} {message}.
            </div>
          ))}
        </Banner>
      )}
      <FieldProblems details={refusals}>
        <Tabs
          label={t`Instructions and rules`}
          value={tab}
          onChange={setTab}
          tabs={[
            { id: 'voice', label: t`Instructions`, content: <VoiceTab {...props} /> },
            { id: 'rules', label: t`Rules`, content: <RulesTab {...props} /> },
            { id: 'access', label: t`Access`, content: <AccessTab {...props} /> },
            {
              id: 'versions',
              label: t`Versions`,
              content: (
                <Suspense fallback={<Spinner isLarge />}>
                  <GuidanceVersions stored={stored} guidance={guidance} store={store} nameOf={names.nameOf} />
                </Suspense>
              ),
            },
          ]}
        />
      </FieldProblems>
      <Suspense>
        {isPublishing && (
          <PublishGuidance store={store} onClose={() => setPublishing(false)} onPublish={publish} />
        )}
      </Suspense>
    </SidePage>
  )
}

// The page of a flow that is open: its draft, what is wrong with it, and the tabs.
import { useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import { type FlowDetails, flowsChanged } from '../../state/flows.ts'
import { useApi, useSession } from '../../state/session.tsx'
import { DraftBanner, SaveWords } from '../../ui/draft-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { t } from '../../words/t.ts'
import { addBlock, freeStepId, stepIdsOf } from './definition/change-definition.ts'
import { compareDefinitions } from './definition/compare-definitions.ts'
import { newStep } from './definition/step-types.ts'
import { type Editor, EditorProvider, useEditor } from './editor-context.tsx'
import { FlowActions } from './flow-actions.tsx'
import { StateBadge } from './flow-state.tsx'
import type { WantedRow } from './outline/use-outline.ts'
import { OutlineTab } from './outline-tab.tsx'
import { useDraft } from './use-draft.ts'
import { useProblems } from './use-problems.ts'
import { useResources } from './use-resources.ts'

const JsonTab = lazy(() => import('./json-tab.tsx'))
const TestsPanel = lazy(() => import('./simulator/tests-panel.tsx'))
const Versions = lazy(() => import('./versions.tsx'))
const Runs = lazy(() => import('./runs/runs.tsx'))

export const FlowEditor = ({
  flow,
  back,
  tab,
  onTab,
}: {
  flow: FlowDetails
  back: ReactNode
  tab: string
  onTab: (tab: string) => void
}) => {
  const { can } = useSession()
  const { store, draft } = useDraft(flow)
  const { resources, names } = useResources()
  const definition = draft.history.present
  const problems = useProblems(definition, flow, resources)
  const [wanted, setWanted] = useState<WantedRow | null>(null)
  const [chosenLanguage, setLanguage] = useState<string | null>(null)
  const language = chosenLanguage ?? definition.language
  const isReadOnly = !can('manage_automation') || flow.state === 'archived'

  const editor = useMemo(
    (): Editor => ({
      definition,
      resources,
      names,
      isReadOnly,
      language,
      setLanguage,
      change: store.change,
      undo: store.undo,
      redo: store.redo,
      createBlock: (title) => {
        const { history } = store.get()
        const steps = [newStep('send', freeStepId(stepIdsOf(history.present)))]
        const added = addBlock(history.present, { title: title.slice(0, 80), steps })
        store.change(() => added.definition)
        store.joinNext()
        return added.id
      },
    }),
    [definition, resources, names, isReadOnly, language, store],
  )
  const show = (row: string): void => {
    setWanted({ row })
    onTab('outline')
  }
  const wait = (content: ReactNode): ReactNode => (
    <Suspense fallback={<Spinner isLarge />}>{content}</Suspense>
  )
  return (
    <EditorProvider value={editor}>
      <Page
        back={back}
        title={
          <span className="row row--wrap">
            <bdi className="title-text">{flow.name}</bdi>
            <StateBadge flow={flow} />
          </span>
        }
        about={
          isReadOnly ? t`You can look at this flow, but not change it.` : <SaveWords save={draft.save} />
        }
        actions={<FlowActions flow={flow} store={store} problems={problems} onShow={show} />}
      >
        <DraftBanner
          store={store}
          save={draft.save}
          definition={definition}
          compare={(before, after) => compareDefinitions(before, after, names)}
        />
        <Tabs
          label={t`Flow`}
          value={tab}
          onChange={onTab}
          tabs={[
            {
              id: 'outline',
              label: t`Outline`,
              content: <OutlineTab flow={flow} problems={problems} wanted={wanted} onShow={show} />,
            },
            { id: 'json', label: t`JSON`, content: wait(<JsonTab />) },
            {
              id: 'tests',
              label: t`Tests`,
              content: wait(<Tests flow={flow} isReadOnly={isReadOnly} />),
            },
            {
              id: 'versions',
              label: t`Versions`,
              content: wait(<Versions flow={flow} store={store} />),
            },
            { id: 'runs', label: t`Runs`, content: wait(<Runs flow={flow} onShow={show} />) },
          ]}
        />
      </Page>
    </EditorProvider>
  )
}

const Tests = ({ flow, isReadOnly }: { flow: FlowDetails; isReadOnly: boolean }) => {
  const { definition, resources } = useEditor()
  const client = useQueryClient()
  const { workspaceId } = useApi()
  return (
    <TestsPanel
      flowId={flow.id}
      definition={definition}
      tests={flow.tests}
      resources={resources}
      isReadOnly={isReadOnly}
      onChange={() => void flowsChanged(client, workspaceId)}
    />
  )
}

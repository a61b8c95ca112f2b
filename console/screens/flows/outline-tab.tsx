// The outline, and beside it the map or the simulator; on a narrow screen, in its place.
import { useQueryClient } from '@tanstack/react-query'
import { Map as MapIcon, Play, X } from 'lucide-react'
import { Component, lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import type { Scenario } from '../../../flow-engine/scenario.ts'
import { useCommands } from '../../state/commands.ts'
import { saveTest } from '../../state/flow-tests.ts'
import { type FlowDetails, flowsChanged } from '../../state/flows.ts'
import { useApi } from '../../state/session.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { useEditor } from './editor-context.tsx'
import { Outline } from './outline/outline.tsx'
import type { WantedRow } from './outline/use-outline.ts'
import type { SimulatedPath } from './simulated-path.ts'
import type { Problems } from './use-problems.ts'

const FlowMap = lazy(() => import('./map/flow-map.tsx'))
const Simulator = lazy(() => import('./simulator/simulator.tsx'))

type Side = 'map' | 'simulator'
const TITLES: Record<Side, string> = { map: t`Map`, simulator: t`Simulator` }

export const OutlineTab = ({
  flow,
  problems,
  wanted,
  onShow,
}: {
  flow: FlowDetails
  problems: Problems
  wanted: WantedRow | null
  onShow: (row: string) => void
}) => {
  const { definition, resources, names, isReadOnly, undo } = useEditor()
  const api = useApi()
  const client = useQueryClient()
  const [side, setSide] = useState<Side | null>(null)
  const [path, setPath] = useState<SimulatedPath | null>(null)
  const work = useRef<HTMLDivElement>(null)
  const close = (): void => {
    setSide(null)
    // On a narrow screen the outline has been hidden until then.
    requestAnimationFrame(() => work.current?.querySelector<HTMLElement>('[data-row][tabindex="0"]')?.focus())
  }
  const toggle = (next: Side): void => (side === next ? close() : setSide(next))
  useCommands([
    {
      id: 'map',
      label: t`Show or hide the map`,
      group: t`Flow`,
      keys: 'm',
      icon: MapIcon,
      run: () => toggle('map'),
    },
    {
      id: 'simulator',
      label: t`Show or hide the simulator`,
      group: t`Flow`,
      keys: 's',
      icon: Play,
      run: () => toggle('simulator'),
    },
  ])
  const show = (row: string): void => {
    // On a narrow screen the map covers the outline.
    if (matchMedia('(max-width: 960px)').matches) setSide(null)
    onShow(row)
  }
  const keepTest = async (scenario: Scenario): Promise<void> => {
    await saveTest(api, flow.id, scenario)
    await flowsChanged(client, api.workspaceId)
  }
  return (
    <div ref={work} className={classNames('flow-work', side && 'flow-work--beside')}>
      <div className="flow-work__outline">
        <div className="row row--wrap flow-work__tools">
          <ProblemCount problems={problems} onShow={show} />
          <span className="push row">
            <Button icon={Play} aria-pressed={side === 'simulator'} onClick={() => toggle('simulator')}>
              {t`Simulator`}
            </Button>
            <Button icon={MapIcon} aria-pressed={side === 'map'} onClick={() => toggle('map')}>
              {t`Map`}
            </Button>
          </span>
        </div>
        <Unshowable onUndo={undo}>
          <Outline problems={problems} wanted={wanted} path={path} />
        </Unshowable>
      </div>
      {side && (
        <aside
          className="flow-work__side"
          aria-label={TITLES[side]}
          tabIndex={-1}
          ref={takeHiddenFocus}
          onKeyDown={(event) => {
            // Events of popups come here too, though they are elsewhere on the page.
            const isOwn = event.target instanceof Node && event.currentTarget.contains(event.target)
            if (event.key === 'Escape' && isOwn && !event.defaultPrevented) close()
          }}
        >
          <div className="row row--between">
            <h2 className="section__title">{TITLES[side]}</h2>
            <IconButton icon={X} label={t`Close`} hasTooltip={false} onClick={close} />
          </div>
          <Suspense fallback={<Spinner isLarge />}>
            {side === 'map' ? (
              <FlowMap flow={flow} definition={definition} problems={problems} onShow={show} />
            ) : (
              <Simulator
                definition={definition}
                resources={resources}
                names={names}
                onSelectStep={(stepId) => show(t`step ${stepId}`)}
                onPath={setPath}
                {...(!isReadOnly && { onKeep: keepTest })}
              />
            )}
          </Suspense>
        </aside>
      )}
    </div>
  )
}

/** Of a row that it hides on a narrow screen, so that Escape still closes it. */
const takeHiddenFocus = (side: HTMLElement | null): void => {
  if (side && !document.activeElement?.checkVisibility()) side.focus()
}

const ProblemCount = ({ problems, onShow }: { problems: Problems; onShow: (row: string) => void }) => {
  const { all, isChecked } = problems
  const errors = all.filter(({ severity }) => severity === 'error').length
  const warnings = all.length - errors
  const first = all.find(({ severity }) => severity === 'error') ?? all[0]
  const words = [
    errors > 0 && (errors === 1 ? t`1 error` : t`${errors} errors`),
    warnings > 0 && (warnings === 1 ? t`1 warning` : t`${warnings} warnings`),
  ]
    .filter(Boolean)
    .join(', ')
  return (
    <span className="row text-small text-soft">
      <span role="status">{!isChecked ? t`Checking…` : words === '' ? t`No problems` : words}</span>
      {first && (
        <Button
          size="small"
          variant="ghost"
          onClick={() =>
            onShow(first.stepId ? t`step ${first.stepId}` : first.block ? t`block ${first.block}` : t`flow`)
          }
        >
          {t`Show the first`}
        </Button>
      )}
    </span>
  )
}

/** A step that was written by hand can have a shape that no form expects. */
class Unshowable extends Component<{ children: ReactNode; onUndo: () => void }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children
    const undo = (): void => {
      this.props.onUndo()
      this.setState({ hasFailed: false })
    }
    return (
      <Banner
        tone="warn"
        action={
          <Button size="small" onClick={undo}>
            {t`Undo`}
          </Button>
        }
      >
        {t`This flow has steps that can’t be shown as an outline. Fix them in the JSON tab, or undo the last change.`}
      </Banner>
    )
  }
}

// The shape of the flow as a picture. Nothing in it can be moved: a block leads back to its row in the outline.

import { useQuery } from '@tanstack/react-query'
import {
  Background,
  BaseEdge,
  Controls,
  type Edge,
  type EdgeProps,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from '@xyflow/react'
import { useMemo, useState } from 'react'
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'
import { countOf } from '../../../state/amounts.ts'
import { type FlowDetails, funnelQuery } from '../../../state/flows.ts'
import { useApi } from '../../../state/session.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { rich, t } from '../../../words/t.ts'
import { END_WORDS } from '../definition/words.ts'
import { useEditor } from '../editor-context.tsx'
import { type BlockModel, makeModeler } from '../outline/row-models.ts'
import { countStep } from '../runs/step-counts.ts'
import type { Problems } from '../use-problems.ts'
import { LINES_MAX, layOut, type MapEdge, type MapEnd } from './lay-out.ts'

type BlockData = {
  model: BlockModel
  ends: MapEnd[]
  entered: number | null
  hasError: boolean
  onShow: (row: string) => void
}
type BlockNode = Node<BlockData, 'block'>
/** As large as the drawing: fitting looks at nodes only, and would cut off the words of links. */
type PaperNode = Node<Record<string, never>, 'paper'>
type RoutedEdge = Edge<Pick<MapEdge, 'points' | 'at'>, 'routed'>

const FlowMap = ({
  flow,
  definition,
  problems,
  onShow,
}: {
  flow: FlowDetails
  definition: FlowDefinition
  problems: Problems
  onShow: (row: string) => void
}) => {
  const api = useApi()
  const { names } = useEditor()
  const [modelsOf] = useState(makeModeler)
  const { data: funnel } = useQuery({
    ...funnelQuery(api, flow.id),
    enabled: flow.version !== null,
  })
  const { nodes, edges } = useMemo(() => {
    const models = modelsOf(definition, names)
    const laid = layOut(definition, models)
    const counts = new Map(funnel?.steps.map((step) => [step.stepId, countStep(step).entered]))
    const hasError = (model: BlockModel): boolean =>
      model.steps.some(({ step }) =>
        problems.byStep.get(step.id)?.some(({ severity }) => severity === 'error'),
      )
    const { width, height } = laid
    const paper: PaperNode = {
      id: 'paper:',
      type: 'paper',
      position: { x: 0, y: 0 },
      data: {},
      width,
      height,
      zIndex: -1,
      focusable: false,
    }
    const blocks = laid.nodes.flatMap(({ id, x, y, width, height, ends }): BlockNode[] => {
      const model = models.find((one) => one.id === id)
      if (!model) return []
      const entered = funnel ? (counts.get(model.steps[0]?.step.id ?? '') ?? 0) : null
      const data = { model, ends, entered, hasError: hasError(model), onShow }
      return [{ id, position: { x, y }, width, height, focusable: false, type: 'block', data }]
    })
    return {
      nodes: [paper, ...blocks],
      edges: laid.edges.map(
        ({ id, source, target, label, points, at }): RoutedEdge => ({
          id,
          source,
          target,
          label,
          type: 'routed',
          data: { points, at },
          focusable: false,
          markerEnd: { type: MarkerType.ArrowClosed },
        }),
      ),
    }
  }, [definition, names, funnel, problems, modelsOf, onShow])
  return (
    <div className="flow-map">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        fitView
        fitViewOptions={{ maxZoom: 1, minZoom: 0.4 }}
        minZoom={0.15}
        nodesDraggable={false}
        nodesConnectable={false}
        elementsSelectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        disableKeyboardA11y
      >
        <Background />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  )
}
export default FlowMap

const Block = ({ data: { model, ends, entered, hasError, onShow } }: NodeProps<BlockNode>) => {
  const { id, title, isStart, steps } = model
  const more = steps.length - LINES_MAX
  return (
    <button
      type="button"
      className={classNames(
        'flow-map__block nopan',
        isStart && 'flow-map__block--start',
        hasError && 'flow-map__block--bad',
      )}
      onClick={() => onShow(t`block ${id}`)}
    >
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <span className="flow-map__title">
        <bdi className="truncate grow">{title}</bdi>
        {entered !== null && (
          <span className="flow-map__count numeric" title={t`Runs that came here`}>
            {countOf(entered)}
          </span>
        )}
      </span>
      {steps.slice(0, LINES_MAX).map(({ step, summary }) => (
        <span key={step.id} className="flow-map__line truncate">
          {summary}
        </span>
      ))}
      {more > 0 && <span className="flow-map__line">{rich`and ${more} more`}</span>}
      {ends.map(({ target, label }) => (
        <span key={target} className="flow-map__line flow-map__line--end truncate">
          {label && `${label} `}→ {END_WORDS[target] ?? t`${target} (deleted)`}
        </span>
      ))}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </button>
  )
}

/** Along the way that the layout found, so that links and their words don't cross blocks. */
const Routed = ({ data, label, markerEnd }: EdgeProps<RoutedEdge>) =>
  data && (
    <BaseEdge
      path={pathOf(data.points)}
      label={label || undefined}
      labelX={data.at.x}
      labelY={data.at.y}
      markerEnd={markerEnd}
    />
  )

/** A curve whose corners are the points in between. */
const pathOf = (points: MapEdge['points']): string => {
  const [first, ...rest] = points
  const last = rest.at(-1)
  if (!first || !last) return ''
  const curves = rest.slice(0, -1).map((point, at) => {
    const next = rest[at + 1]!
    const isEnd = at === rest.length - 2
    const to = isEnd ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 }
    return `Q ${point.x} ${point.y} ${to.x} ${to.y}`
  })
  return `M ${first.x} ${first.y} ${curves.length > 0 ? curves.join(' ') : `L ${last.x} ${last.y}`}`
}

const EDGE_TYPES = { routed: Routed }
const NODE_TYPES = { block: Block, paper: () => null }

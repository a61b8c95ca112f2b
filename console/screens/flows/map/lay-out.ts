// Where the blocks of a map are: from the start down, worked out, never stored.
import { Graph, layout } from '@dagrejs/dagre'
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'
import type { BlockModel } from '../outline/row-models.ts'

/** An end that a block leads to, with the ways that lead there. It's a line of the block, so that the map stays narrow. */
export type MapEnd = { target: string; label: string }
export type MapNode = { id: string; x: number; y: number; width: number; height: number; ends: MapEnd[] }
type Point = { x: number; y: number }
export type Link = { id: string; source: string; target: string; label: string }
/** `at` is the middle of the label. */
export type MapEdge = Link & { points: Point[]; at: Point }

const NODE_WIDTH = 220
const HEAD_HEIGHT = 34
const LINE_HEIGHT = 20
/** The steps that a node names; more are counted. */
export const LINES_MAX = 4
const LETTER_WIDTH = 7

const nodeHeight = (steps: number, ends: number): number =>
  HEAD_HEIGHT + (Math.min(steps, LINES_MAX + 1) + ends) * LINE_HEIGHT + 10

/** One edge for each pair of blocks, with the labels of all ways between them. */
const linksOf = (models: readonly BlockModel[]): Link[] => {
  const labels = new Map<string, { source: string; target: string; labels: Set<string> }>()
  for (const { id, steps, next } of models)
    for (const { label, target } of [...steps.flatMap(({ exits }) => exits), ...(next ? [next] : [])]) {
      const key = `${id} ${target}`
      const found = labels.get(key) ?? { source: id, target, labels: new Set() }
      if (label && label !== 'Then') found.labels.add(label)
      labels.set(key, found)
    }
  return [...labels].map(([id, { source, target, labels }]) => ({
    id,
    source,
    target,
    label: [...labels].slice(0, 2).join(', ') + (labels.size > 2 ? ` +${labels.size - 2}` : ''),
  }))
}

export const layOut = (
  definition: FlowDefinition,
  models: readonly BlockModel[],
): { nodes: MapNode[]; edges: MapEdge[]; width: number; height: number } => {
  const graph = new Graph()
  graph.setGraph({ rankdir: 'TB', nodesep: 28, ranksep: 28, marginx: 16, marginy: 16 })
  graph.setDefaultEdgeLabel(() => ({}))
  const isBlock = ({ target }: Link) => Object.hasOwn(definition.blocks, target)
  const all = linksOf(models)
  const links = all.filter(isBlock)
  const ends = (id: string): MapEnd[] => all.filter((link) => link.source === id && !isBlock(link))
  for (const { id, steps } of models)
    graph.setNode(id, { width: NODE_WIDTH, height: nodeHeight(steps.length, ends(id).length) })
  for (const { source, target, label } of links)
    graph.setEdge(source, target, { width: label.length * LETTER_WIDTH, height: LINE_HEIGHT, labelpos: 'c' })
  layout(graph)
  const nodes = graph.nodes().map((id) => {
    const { x, y, width, height } = graph.node(id)
    return { id, x: x - width / 2, y: y - height / 2, width, height, ends: ends(id) }
  })
  const edges = links.map((link) => {
    const { points, x, y } = graph.edge(link.source, link.target)
    return { ...link, points, at: { x: x ?? 0, y: y ?? 0 } }
  })
  const { width = 0, height = 0 } = graph.graph()
  return { nodes, edges, width, height }
}

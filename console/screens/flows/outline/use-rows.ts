// What the keyboard does to the row that has focus. A row is named "flow", "block <id>" or "step <id>".
import type { StepType } from '../../../../flow-engine/schema.ts'
import { t } from '../../../words/t.ts'
import {
  addBlock,
  type Fragment,
  freeStepId,
  insertSteps,
  moveStep,
  type Place,
  placeOfStep,
  removeBlock,
  removeStep,
  stepIdsOf,
  withFreeIds,
} from '../definition/change-definition.ts'
import { readFragment, writeFragment } from '../definition/fragments.ts'
import { orderBlocks } from '../definition/order-blocks.ts'
import { newStep } from '../definition/step-types.ts'
import { blockTitle } from '../definition/words.ts'
import type { Editor } from '../editor-context.tsx'

export type RowName = { kind: 'flow' } | { kind: 'block' | 'step'; id: string }

export const readRow = (row: string): RowName => {
  const [kind, id] = row.split(' ', 2)
  return (kind === 'block' || kind === 'step') && id !== undefined ? { kind, id } : { kind: 'flow' }
}

/** What happened, for the screen reader, and the row that gets focus. */
export type Outcome = { says: string; focus: string } | null

type RowEditor = Pick<Editor, 'definition' | 'change'>

export const addStepAt = ({ definition, change }: RowEditor, place: Place, type: StepType): Outcome => {
  const id = freeStepId(stepIdsOf(definition))
  change((known) => insertSteps(known, place, [newStep(type, id)]))
  return { says: t`Step added`, focus: t`step ${id}` }
}

/** Where a new step goes if this row has focus. */
export const placeAfter = ({ definition }: Pick<Editor, 'definition'>, row: string): Place => {
  const name = readRow(row)
  if (name.kind === 'step') {
    const place = placeOfStep(definition, name.id)
    if (place) return { ...place, at: place.at + 1 }
  }
  const block = name.kind === 'block' ? name.id : definition.start
  return { block, at: definition.blocks[block]?.steps.length ?? 0 }
}

export const moveRow = ({ definition, change }: RowEditor, row: string, by: -1 | 1): Outcome => {
  const name = readRow(row)
  if (name.kind === 'block') return { says: t`Blocks are in the order in which runs reach them`, focus: row }
  if (name.kind !== 'step') return null
  const moved = moveStep(definition, name.id, by, orderBlocks(definition))
  if (moved === definition) return { says: t`Can’t be moved further`, focus: row }
  change(() => moved)
  const place = placeOfStep(moved, name.id)!
  return { says: t`Step ${place.at + 1} of ${blockTitle(moved, place.block)}`, focus: row }
}

export const deleteRow = ({ definition, change }: RowEditor, row: string): Outcome => {
  const name = readRow(row)
  if (name.kind === 'flow') return null
  const left = name.kind === 'block' ? removeBlock(definition, name.id) : removeStep(definition, name.id)
  if (left === definition) return { says: t`A flow needs at least one step`, focus: row }
  change(() => left)
  return { says: t`Deleted. Press Control Z to undo`, focus: focusAfterDelete(definition, left, name) }
}

const focusAfterDelete = (
  before: Editor['definition'],
  after: Editor['definition'],
  name: Exclude<RowName, { kind: 'flow' }>,
): string => {
  if (name.kind === 'block') return t`block ${after.start}`
  const { block, at } = placeOfStep(before, name.id)!
  const steps = after.blocks[block]?.steps
  return steps ? t`step ${(steps[at] ?? steps.at(-1)!).id}` : t`block ${after.start}`
}

/** Steps go below the row; blocks become new ones. */
const insert = ({ definition, change }: RowEditor, row: string, fragment: Fragment): Outcome => {
  const fresh = withFreeIds(definition, fragment)
  if ('steps' in fresh) {
    change((known) => insertSteps(known, placeAfter({ definition: known }, row), fresh.steps))
    return { says: t`${fresh.steps.length} steps added`, focus: t`step ${fresh.steps[0]!.id}` }
  }
  change((known) => ({ ...known, blocks: { ...known.blocks, ...fresh.blocks } }))
  return { says: t`Block added`, focus: t`block ${Object.keys(fresh.blocks)[0]}` }
}

const fragmentOf = ({ blocks }: Editor['definition'], row: string): Fragment | null => {
  const name = readRow(row)
  if (name.kind === 'flow') return null
  if (name.kind === 'block') return blocks[name.id] ? { blocks: { [name.id]: blocks[name.id]! } } : null
  const step = Object.values(blocks)
    .flatMap(({ steps }) => steps)
    .find(({ id }) => id === name.id)
  return step ? { steps: [step] } : null
}

export const duplicateRow = (editor: RowEditor, row: string): Outcome => {
  const fragment = fragmentOf(editor.definition, row)
  return fragment && insert(editor, row, fragment)
}

export const copyRow = ({ definition }: Pick<Editor, 'definition'>, row: string): string | null => {
  const fragment = fragmentOf(definition, row)
  return fragment && writeFragment(fragment)
}

export const pasteAt = (editor: RowEditor, row: string, text: string): Outcome => {
  const fragment = readFragment(text)
  return fragment ? insert(editor, row, fragment) : null
}

/** A block after the others, with a message to write. */
export const addNewBlock = ({ definition, change }: RowEditor, title: string): { id: string } => {
  const added = withBlock(definition, title)
  change((known) => withBlock(known, title).definition)
  return { id: added.id }
}

const withBlock = (definition: Editor['definition'], title: string) =>
  addBlock(definition, { title, steps: [newStep('send', freeStepId(stepIdsOf(definition)))] })

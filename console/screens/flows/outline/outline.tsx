// The editor: blocks as cards, steps as rows that open into their form. Everything works from the keyboard; the keys are
// listed in the help.
import { Plus } from 'lucide-react'
import { startTransition, useEffect, useMemo, useRef, useState } from 'react'
import { findStep } from '../../../../flow-engine/definition-index.ts'
import { Button } from '../../../ui/button.tsx'
import { t } from '../../../words/t.ts'
import { flowChannels } from '../channel-facts.ts'
import { useEditor } from '../editor-context.tsx'
import { BlockForm } from '../forms/block-form.tsx'
import { FlowForm } from '../forms/flow-form.tsx'
import { StepForm } from '../forms/step-form.tsx'
import type { SimulatedPath } from '../simulated-path.ts'
import type { Problems } from '../use-problems.ts'
import { BlockCard } from './block-card.tsx'
import { FlowRow } from './flow-row.tsx'
import { FormPlace } from './form-place.tsx'
import { type BlockModel, makeModeler } from './row-models.ts'
import { useOutline, type WantedRow } from './use-outline.ts'
import { readRow } from './use-rows.ts'

const FIRST_BLOCKS = 6

/** The card's steps that the simulator took, the current one with a *. A string, so that other cards don't render. */
const litIn = ({ steps }: BlockModel, path: SimulatedPath | null): string =>
  path === null
    ? ''
    : steps
        .flatMap(({ step: { id } }) => (id === path.current ? `*${id}` : path.passed.includes(id) ? id : []))
        .join(' ')

export const Outline = ({
  problems,
  wanted,
  path,
}: {
  problems: Problems
  wanted: WantedRow | null
  /** Where the simulator is, if it is open. */
  path: SimulatedPath | null
}) => {
  const editor = useEditor()
  const { definition, names, isReadOnly } = editor
  const place = useRef<HTMLDivElement>(null)
  const [modelsOf] = useState(makeModeler)
  const all = useMemo(() => modelsOf(definition, names), [modelsOf, definition, names])
  // A large flow shows its first blocks at once, and the others a moment later.
  const [isWhole, setWhole] = useState(false)
  useEffect(() => startTransition(() => setWhole(true)), [])
  const models = isWhole ? all : all.slice(0, FIRST_BLOCKS)
  const { activeRow, openRow, adding, said, actions, close, startBlock } = useOutline(
    editor,
    place,
    wanted,
    isWhole,
  )
  const channelCount = flowChannels(definition).length
  return (
    <div ref={place} className="outline">
      <FlowRow
        problems={problems.ofFlow}
        isActive={activeRow === 'flow'}
        isOpen={openRow === 'flow'}
        onToggle={actions.toggle}
        onActive={actions.setActive}
        form={
          <FormPlace onClose={close}>
            <RowForm row="flow" />
          </FormPlace>
        }
      />
      {models.map((model) => {
        const owns = (row: string | null): string | null =>
          row !== null &&
          (row === `block ${model.id}` || model.steps.some(({ step }) => row === `step ${step.id}`))
            ? row
            : null
        const open = owns(openRow)
        return (
          <BlockCard
            key={model.id}
            model={model}
            activeRow={owns(activeRow)}
            openRow={open}
            lit={litIn(model, path)}
            addingAt={adding?.block === model.id ? adding.at : null}
            problems={problems}
            channelCount={channelCount}
            isReadOnly={isReadOnly}
            actions={actions}
            form={
              open === null ? null : (
                <FormPlace onClose={close}>
                  <RowForm row={open} />
                </FormPlace>
              )
            }
          />
        )
      })}
      {!isReadOnly && (
        <div>
          <Button icon={Plus} onClick={startBlock}>
            {t`Add block`}
          </Button>
        </div>
      )}
      <p className="hidden-visually" role="status">
        {said}
      </p>
    </div>
  )
}

const RowForm = ({ row }: { row: string }) => {
  const { definition } = useEditor()
  const name = readRow(row)
  if (name.kind === 'flow') return <FlowForm />
  if (name.kind === 'block') return <BlockForm id={name.id} />
  const placed = findStep(definition, name.id)
  return placed ? <StepForm step={placed.step} /> : null
}

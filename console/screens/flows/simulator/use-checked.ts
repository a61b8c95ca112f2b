// The latest version of a draft that can be played: an interpreter must only be given what the checks accept.
import { useDeferredValue, useMemo, useRef } from 'react'
import { checkDefinition } from '../../../../flow-engine/check-definition.ts'
import type { Problem } from '../../../../flow-engine/problems.ts'
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'

export const useChecked = (
  draft: FlowDefinition,
): { definition: FlowDefinition | null; problem: Problem | null } => {
  // Checking a flow of 300 steps takes tens of milliseconds: never between two keystrokes.
  const deferred = useDeferredValue(draft)
  const accepted = useRef<FlowDefinition | null>(null)
  return useMemo(() => {
    const checked = checkDefinition(deferred)
    if (checked.ok) accepted.current = checked.definition
    return { definition: accepted.current, problem: checked.ok ? null : (checked.problems[0] ?? null) }
  }, [deferred])
}

// Keeps a simulation as a test: it is run whenever the flow is published.
import { useMutation } from '@tanstack/react-query'
import type { Scenario } from '../../../../flow-engine/scenario.ts'
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'
import { TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { toast } from '../../../ui/toast.tsx'
import { TurnList } from './turn-list.tsx'

export const KeepTest = ({
  definition,
  scenarioOf,
  onKeep,
  onClose,
}: {
  definition: FlowDefinition
  scenarioOf: (name: string) => Scenario
  onKeep: (scenario: Scenario) => Promise<unknown>
  onClose: () => void
}) => {
  const keep = useMutation({
    mutationFn: (name: string) => onKeep(scenarioOf(name)),
    onSuccess: () => {
      toast('Test saved')
      onClose()
    },
  })
  return (
    <FormDialog
      title="Keep as test"
      about="Publishing plays these moves again and tells you if anything comes out differently."
      submitLabel="Save test"
      save={keep}
      onClose={onClose}
      onSubmit={({ name = '' }) => keep.mutate(name)}
    >
      <TextField
        label="Name"
        name="name"
        placeholder="e.g. An unknown order goes to the team"
        maxLength={120}
        required
        autoFocus
      />
      <TurnList definition={definition} turns={scenarioOf('').turns} />
    </FormDialog>
  )
}

// Keeps a simulation as a test: it is run whenever the flow is published.
import { useMutation } from '@tanstack/react-query'
import type { Scenario } from '../../../../flow-engine/scenario.ts'
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'
import { TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { toast } from '../../../ui/toast.tsx'
import { t } from '../../../words/t.ts'
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
      toast(t`Test saved`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={t`Keep as test`}
      about={t`Publishing plays these moves again and tells you if anything comes out differently.`}
      submitLabel={t`Save test`}
      save={keep}
      onClose={onClose}
      onSubmit={({ name = '' }) => keep.mutate(name)}
    >
      <TextField
        label={t`Name`}
        name="name"
        placeholder={t`e.g. An unknown order goes to the team`}
        maxLength={120}
        required
        autoFocus
      />
      <TurnList definition={definition} turns={scenarioOf('').turns} />
    </FormDialog>
  )
}

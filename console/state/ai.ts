// The AI agent's model and what it is told, as the console reads and changes them.
import type {
  Guidance,
  GuidanceAnswer,
  GuidanceVersions,
  VersionAnswer,
} from '../../server/domain/ai/guidance/schema.ts'
import type {
  ModelProvider,
  ProviderAnswer,
  ProviderBody,
  ProviderSaved,
} from '../../server/domain/ai/provider/schema.ts'

export type {
  Guidance,
  GuidanceAnswer,
  GuidanceVersions,
  ModelProvider,
  ProviderAnswer,
  ProviderBody,
  ProviderSaved,
  VersionAnswer,
}

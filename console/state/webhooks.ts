// Webhooks, as the console reads and changes them.
import type {
  DeliveryDetails,
  ReplayBody,
  StartedReplay,
  TestedEndpoint,
  WebhookAttempt,
  WebhookDelivery,
} from '../../server/domain/webhooks/delivery-schema.ts'
import type {
  CreatedEndpoint,
  EnableBody,
  EndpointAnswer,
  NewWebhookEndpoint,
  RotatedSecret,
  WebhookEndpoint,
  WebhookFilter,
} from '../../server/domain/webhooks/schema.ts'

export type DeliveryPage = { deliveries: WebhookDelivery[]; nextCursor: string | null }
export type {
  CreatedEndpoint,
  DeliveryDetails,
  EnableBody,
  EndpointAnswer,
  NewWebhookEndpoint,
  ReplayBody,
  RotatedSecret,
  StartedReplay,
  TestedEndpoint,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookFilter,
}

import type { FlowTemplate } from './template.ts'

export const AI_FIRST: FlowTemplate = {
  id: 'ai-first',
  name: 'AI first, then the team',
  about: 'Lets the AI agent answer, asks once for more if it can’t, and hands over after the second failure.',
  needs: [],
  beforePublishing: [
    'Set up the AI agent in the settings first. Without it every conversation goes straight to your team.',
  ],
  definition: {
    schema: 1,
    kind: 'dialog',
    language: 'en',
    triggers: [{ on: 'message', isFirst: true, channels: ['web', 'whatsapp', 'facebook', 'telegram'] }],
    reentry: { after: 'PT1H' },
    variables: { more: { type: 'text' } },
    start: 'first',
    blocks: {
      first: {
        title: 'First try',
        steps: [
          {
            id: 's1',
            type: 'ai',
            goal: 'Answer the customer’s question from what you know about us. Never guess.',
            turnsMax: 10,
            onDone: 'end',
            onGiveUp: 'more',
          },
        ],
      },
      more: {
        title: 'Ask for more',
        steps: [
          {
            id: 's2',
            type: 'ask',
            answer: 'text',
            text: {
              en: 'We haven’t found an answer to that yet. Could you tell us a little more, e.g. the product or order number?',
              de: 'Darauf haben wir noch keine Antwort gefunden. Können Sie uns etwas mehr sagen, z. B. das Produkt oder die Bestellnummer?',
              es: 'Aún no hemos encontrado la respuesta. ¿Puede darnos algún detalle más, como el producto o el número de pedido?',
              pt: 'Ainda não encontramos a resposta. Você pode contar um pouco mais, como o produto ou o número do pedido?',
              fr: 'Nous n’avons pas encore trouvé la réponse. Pouvez-vous préciser, par exemple le produit ou le numéro de commande ?',
            },
            store: 'run.more',
            retry: { times: 0, then: 'team' },
            timeout: { after: 'PT4H', then: 'end' },
          },
          {
            id: 's3',
            type: 'ai',
            goal: 'Answer the customer’s question with the details they have just given. Never guess.',
            turnsMax: 5,
            onDone: 'end',
            onGiveUp: 'team',
          },
        ],
      },
      team: {
        title: 'Over to the team',
        steps: [
          {
            id: 's4',
            type: 'people',
            text: {
              en: 'That’s one for our team. Someone will reply here as soon as possible.',
              de: 'Da hilft Ihnen am besten unser Team weiter. Sie erhalten hier so bald wie möglich eine Antwort.',
              es: 'Es mejor que lo vea nuestro equipo. Le responderemos aquí lo antes posible.',
              pt: 'Nossa equipe pode ajudar melhor com isso. Vamos responder por aqui o quanto antes.',
              fr: 'Notre équipe saura mieux vous aider. Vous recevrez une réponse ici dès que possible.',
            },
            summary: 'ai',
          },
        ],
      },
    },
  },
  tests: [
    {
      name: 'What the AI answers needs nobody',
      channel: 'web',
      language: 'en',
      turns: [
        { say: 'Do you ship to Norway?' },
        { expect: { waits: 's1' } },
        { ai: 'done' },
        { expect: { ended: 'completed', endReason: 'finished', handedOver: false } },
      ],
    },
    {
      name: 'After two failures it goes to the team',
      channel: 'telegram',
      language: 'fr',
      turns: [
        { say: 'Mon four ne chauffe plus' },
        { ai: 'gaveUp' },
        { expect: { text: 'Pouvez-vous préciser', waits: 's2' } },
        { say: 'Modèle K-20, acheté en mars' },
        { ai: 'gaveUp' },
        {
          expect: {
            text: 'Notre équipe saura',
            handedOver: true,
            ended: 'completed',
            set: { 'run.more': 'Modèle K-20, acheté en mars' },
          },
        },
      ],
    },
  ],
}

import { shownAddress } from '../model/address.ts';
import { type Delivery, Rejected } from './delivery.ts';
import { type NotifyTarget, renderRequest } from './render-request.ts';

export function httpDelivery(target: NotifyTarget): Delivery {
  return {
    shown: shownAddress(target.url),
    async deliver(message, signal) {
      const { url, headers, body } = renderRequest(target, message);
      const response = await fetch(url, { method: 'POST', headers, body, signal });
      await response.body?.cancel();
      if (response.ok) return;
      const why = `the service answered HTTP ${response.status}`;
      throw response.status < 500 && response.status !== 429 ? new Rejected(why) : new Error(why);
    },
  };
}

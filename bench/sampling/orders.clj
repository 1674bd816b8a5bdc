; SPDX-License-Identifier: Apache-2.0
; Copyright the jprof authors
;
; The same in Clojure: lazy sequences, maps, multimethods, transactions. The value is the function that does it.
(ns orders (:require [clojure.string :as string]))

(def random (java.util.Random. 7))
(def sold (ref {}))

(defmulti price-of (fn [order] (if (= 9 (:quantity order)) :many :few)))
(defmethod price-of :few [order] (* (:price order) (:quantity order)))
(defmethod price-of :many [order]
  (try
    (throw (ex-info "too many" order))
    (catch clojure.lang.ExceptionInfo thrown (* 9/10 (:price (ex-data thrown)) 9))))

(defn make [number]
  {:customer (str "customer " (mod number 37)) :quantity (inc (.nextInt ^java.util.Random random 9))
   :price (/ (.nextInt ^java.util.Random random 10000) 100)})

(fn []
  (let [orders (map make (range 400))
        by-customer (reduce (fn [sums [customer list]]
                              (assoc sums customer (reduce + (map price-of list))))
                            {} (group-by :customer orders))
        lines (for [[customer sum] (sort-by (comp - val) by-customer)]
                (string/upper-case (format "%-16s%12.2f" customer (double sum))))]
    (dosync (alter sold (partial merge-with +) by-customer))
    (assert (= 37 (count (filter #(re-find #"CUSTOMER \d+ +[\d.]+" %) lines))))))
